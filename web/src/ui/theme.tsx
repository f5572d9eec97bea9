import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

const KEY = 'colibri.theme';
const ORDER = ['auto', 'light', 'dark'] as const;
type Theme = (typeof ORDER)[number];

/** As the system says, or as the reader does. */
export function ThemeButton(): JSX.Element {
  const [theme, setTheme] = useState<Theme>(() => stored());
  useEffect(() => {
    localStorage.setItem(KEY, theme);
    if (theme === 'auto') delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = theme;
  }, [theme]);
  const next = ORDER[(ORDER.indexOf(theme) + 1) % ORDER.length] ?? 'auto';
  return (
    <button type="button" class="plain" onClick={() => setTheme(next)} title={`switch to ${next}`}>
      theme: {theme}
    </button>
  );
}

function stored(): Theme {
  const text = localStorage.getItem(KEY);
  return ORDER.find((theme) => theme === text) ?? 'auto';
}
