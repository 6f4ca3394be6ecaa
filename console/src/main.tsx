// Entry point of the console.
import { createRoot } from 'react-dom/client';
import './styles/tokens.css';
import './styles/base.css';
import './styles/parts.css';
import { App } from './app.tsx';
import { applyTheme } from './theme.ts';

applyTheme();
createRoot(document.getElementById('root')!).render(<App />);
