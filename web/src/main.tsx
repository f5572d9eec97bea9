import './style.css';

import { render } from 'preact';

import { App } from './app.tsx';

const place = document.getElementById('app');
if (place !== null) render(<App />, place);
