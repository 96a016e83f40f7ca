import type { ReactNode } from "react";

/** A fact in a list of them: what it is about, and what is known. */
export const Fact = ({ label, children }: { label: string; children: ReactNode }) => (
  <div>
    <dt>{label}</dt>
    <dd>{children}</dd>
  </div>
);
