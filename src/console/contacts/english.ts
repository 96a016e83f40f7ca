export const english = {
  title: "Whom to call",
  person: (number: number) => `Contact ${number}`,
  parts: { name: "Person or service", role: "Role", phoneNumber: "Phone", email: "Email", note: "Note" },
  add: "Add a contact",
  problem: "Each contact needs a person or service. Check its email address, and shorten long texts.",
};
