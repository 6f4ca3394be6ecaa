// Entry point of the console.
import { createRoot } from 'react-dom/client';
import './styles/tokens.css';
import './styles/base.css';
import './styles/parts.css';
import { App } from './app.tsx';
import { applyLook } from './theme.ts';

applyLook();
createRoot(document.getElementById('root')!).render(<App />);
