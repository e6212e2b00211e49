import '@cloudscape-design/global-styles/index.css';
import Button from '@cloudscape-design/components/button';
import { createRoot } from 'react-dom/client';

const root = document.getElementById('root');
if (root !== null) createRoot(root).render(<Button>x</Button>);
