import { Component, type ReactNode } from "react";

interface ErrorBoundaryProps {
  /** Shown in place of the failed content. */
  fallback: (error: unknown) => ReactNode;
  children: ReactNode;
}

/** Keeps content that fails to render from breaking the content around it. */
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
