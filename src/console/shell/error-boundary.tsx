import { Component, type ReactNode } from "react";

interface ErrorBoundaryProps {
  /** What is shown in place of what has failed. */
  fallback: (error: unknown) => ReactNode;
  children: ReactNode;
}

/** Keeps what cannot be shown from taking with it what surrounds it. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { failure?: { error: unknown } }> {
  override state: { failure?: { error: unknown } } = {};

  static getDerivedStateFromError(error: unknown) {
    return { failure: { error } };
  }

  override render() {
    const { failure } = this.state;
    return failure ? this.props.fallback(failure.error) : this.props.children;
  }
}
