import type { ReactNode } from "react";

/**
 * A line drawing in a square of 24, in the colour of the surrounding text. The text
 * beside it states its meaning.
 */
function Icon({ children }: { children: ReactNode }) {
  return (
    <svg className="icon" viewBox="0 0 24 24" aria-hidden="true">
      {children}
    </svg>
  );
}

export const CloseIcon = () => (
  <Icon>
    <path d="M6 6l12 12M18 6L6 18" />
  </Icon>
);

export const EditIcon = () => (
  <Icon>
    <path d="M4.5 19.5l1-4.5L16 4.5l3.5 3.5L9 18.5z M13.5 7l3.5 3.5" />
  </Icon>
);

export const TodayIcon = () => (
  <Icon>
    <circle cx="12" cy="12" r="4" />
    <path d="M12 3v2M12 19v2M3 12h2M19 12h2M5.6 5.6L7 7M17 17l1.4 1.4M5.6 18.4L7 17M17 7l1.4-1.4" />
  </Icon>
);

export const FleetIcon = () => (
  <Icon>
    <rect x="3.5" y="3.5" width="7" height="7" rx="1.5" />
    <rect x="13.5" y="3.5" width="7" height="7" rx="1.5" />
    <rect x="3.5" y="13.5" width="7" height="7" rx="1.5" />
    <rect x="13.5" y="13.5" width="7" height="7" rx="1.5" />
  </Icon>
);

export const RulesIcon = () => (
  <Icon>
    <path d="M5 8l9-3.500l5.500 6l-3 8.500h-10z" />
    <circle cx="5" cy="8" r="1.500" />
    <circle cx="14" cy="4.500" r="1.500" />
    <circle cx="19.500" cy="10.500" r="1.500" />
    <circle cx="16.500" cy="19" r="1.500" />
    <circle cx="6.500" cy="19" r="1.500" />
  </Icon>
);

export const SearchIcon = () => (
  <Icon>
    <circle cx="11" cy="11" r="6.5" />
    <path d="M16 16l4.5 4.5" />
  </Icon>
);

export const AccountIcon = () => (
  <Icon>
    <circle cx="12" cy="8.5" r="4" />
    <path d="M4.5 20c1-4 4-5.5 7.5-5.5s6.5 1.5 7.5 5.5" />
  </Icon>
);

export const CameraIcon = () => (
  <Icon>
    <rect x="3" y="6.5" width="12.5" height="11" rx="2" />
    <path d="M15.5 10.5l5.5-3v9l-5.5-3" />
  </Icon>
);

export const WarningIcon = () => (
  <Icon>
    <path d="M12 4l9 15.5H3z" />
    <path d="M12 10v4.5M12 17v.1" />
  </Icon>
);

export const AlertIcon = () => (
  <Icon>
    <path d="M6 16.5V11a6 6 0 0 1 12 0v5.5l1.5 1.5h-15z" />
    <path d="M10 20.5h4" />
  </Icon>
);

export const AcknowledgeIcon = () => (
  <Icon>
    <path d="M5 12.5l4.5 4.5L19 7.5" />
  </Icon>
);

export const BookmarkIcon = () => (
  <Icon>
    <path d="M7 4h10v16l-5-4-5 4z" />
  </Icon>
);

export const FalsePositiveIcon = () => (
  <Icon>
    <circle cx="12" cy="12" r="8" />
    <path d="M6.5 6.5l11 11" />
  </Icon>
);

export const GridIcon = () => (
  <Icon>
    <path d="M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z" />
  </Icon>
);

export const ListIcon = () => (
  <Icon>
    <path d="M9 6h11M9 12h11M9 18h11M4.5 6v.1M4.5 12v.1M4.5 18v.1" />
  </Icon>
);

export const PreviousIcon = () => (
  <Icon>
    <path d="M14.5 6l-6 6 6 6" />
  </Icon>
);

export const NextIcon = () => (
  <Icon>
    <path d="M9.5 6l6 6-6 6" />
  </Icon>
);

export const CodeIcon = () => (
  <Icon>
    <path d="M8.500 7l-5 5 5 5M15.500 7l5 5-5 5M13.500 5l-3 14" />
  </Icon>
);

export const InsightIcon = () => (
  <Icon>
    <path d="M3.500 20.500h17M6 17v-4M11 17V8M16 17v-6M20 17V4.500" />
  </Icon>
);

export const DownloadIcon = () => (
  <Icon>
    <path d="M12 4v11M7.500 10.500L12 15l4.500-4.500M4.500 19.500h15" />
  </Icon>
);

export const SettingsIcon = () => (
  <Icon>
    <path d="M4 7h9M17 7h3M4 17h3M11 17h9" />
    <circle cx="15" cy="7" r="2" />
    <circle cx="9" cy="17" r="2" />
  </Icon>
);

export const SavedViewsIcon = () => (
  <Icon>
    <path d="M12 3.500l2.600 5.400 5.900.8-4.300 4.100 1.100 5.900-5.300-2.900-5.300 2.900 1.100-5.900-4.300-4.100 5.900-.8z" />
  </Icon>
);

export const AddIcon = () => (
  <Icon>
    <path d="M12 5v14M5 12h14" />
  </Icon>
);
