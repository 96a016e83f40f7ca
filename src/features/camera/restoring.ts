/** For how long deleted cameras and rules can be restored. */
export const restorableForDays = 30;
export const restorableForMs = restorableForDays * 86_400_000;
