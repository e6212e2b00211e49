import { StatusIndicator, type StatusIndicatorProps } from '@cloudscape-design/components';
import type { ReactNode } from 'react';

/** Shows a status that is a sentence. Lines break between words; those of Cloudscape's component break within words. */
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
