import { Component, type ReactNode } from "react";

interface ErrorBoundaryProps {
  /** Shown in place of what has failed. */
  fallback: ReactNode;
  children: ReactNode;
}

/** Keeps what cannot be shown from taking with it what surrounds it. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override render() {
    return this.state.hasFailed ? this.props.fallback : this.props.children;
  }
}
