import { icon } from "./icons.js";

// Icons of views that are loaded later.

export const EditIcon = icon("M4.5 19.5l1-4.5L16 4.5l3.5 3.5L9 18.5zM13.5 7l3.5 3.5");
export const BookmarkIcon = icon("M7 4h10v16l-5-4-5 4z");
export const FalsePositiveIcon = icon("M4 12a8 8 0 1 0 16 0a8 8 0 1 0-16 0M6.5 6.5l11 11");
export const GridIcon = icon("M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z");
export const ListIcon = icon("M9 6h11M9 12h11M9 18h11M4.5 6v.1M4.5 12v.1M4.5 18v.1");
export const PreviousIcon = icon("M14.5 6l-6 6 6 6");
export const NextIcon = icon("M9.5 6l6 6-6 6");
export const DownloadIcon = icon("M12 4v11M7.5 10.5L12 15l4.5-4.5M4.5 19.5h15");
export const PlayIcon = icon("M8 5l11 7-11 7z");
export const PauseIcon = icon("M9 5v14M15 5v14");
export const AddIcon = icon("M12 5v14M5 12h14");
export const CameraIcon = icon(
  "M5 6.5h8.5a2 2 0 0 1 2 2v7a2 2 0 0 1-2 2h-8.5a2 2 0 0 1-2-2v-7a2 2 0 0 1 2-2zM15.5 10.5l5.5-3v9l-5.5-3",
);
