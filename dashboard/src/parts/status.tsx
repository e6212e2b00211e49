import StatusIndicator, { type StatusIndicatorProps } from '@cloudscape-design/components/status-indicator';
import type { ReactNode } from 'react';

/** A status that is a sentence. Cloudscape breaks its lines within words, this one between them. */
export function Status({
  type,
  children,
}: Required<Pick<StatusIndicatorProps, 'type'>> & { readonly children: ReactNode }) {
  return (
    <StatusIndicator type={type}>
      <span className="words">{children}</span>
    </StatusIndicator>
  );
}
