/** How the pages of the setup look, light or dark as the reader prefers; the policy of these pages allows this text alone. */
export const style = `
:root { color-scheme: light dark; --line: light-dark(#c9cdd2, #4a4f55); --muted: light-dark(#545b63, #a7adb4); }
body { margin: 0; background: light-dark(#fff, #0a0a0a); color: light-dark(#16181b, #f0f2f4); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 42rem; margin: 0 auto; padding: 2rem 1rem 4rem; overflow-wrap: anywhere; }
h1 { font-size: 1.75rem; line-height: 1.2; }
dl { margin: 1.5rem 0; padding: 0.25rem 1rem; border: 1px solid var(--line); border-radius: 0.5rem; }
dt { margin-top: 0.75rem; color: var(--muted); font-size: 0.875rem; }
dd { margin: 0 0 0.75rem; }
code, input, button { font-size: inherit; }
input, button { min-height: 2.75rem; padding: 0 1rem; border: 1px solid var(--line); border-radius: 0.5rem; font-family: inherit; }
input { display: block; box-sizing: border-box; width: 100%; margin: 0.25rem 0 0.75rem; background: transparent; }
button { background: transparent; color: inherit; font-weight: 600; cursor: pointer; }
[method='post'] button { border-color: transparent; background: light-dark(#1a7f37, #00e676); color: light-dark(#fff, #0a0a0a); }
.later { margin-top: 2.5rem; padding-top: 1.5rem; border-top: 1px solid var(--line); }
a { color: light-dark(#0a58b3, #6cb6ff); }
`
