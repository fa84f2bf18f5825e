/** The one style sheet; the pages have no other style and no script. */
export const style = `:root { color-scheme: light dark; --line: #8885; --accent: #0b57d0; }
@media (prefers-color-scheme: dark) { :root { --accent: #a8c7fa; } }
body { font: 1rem/1.5 system-ui, sans-serif; margin: 0; }
main { max-width: 38rem; margin: 0 auto; padding: 2rem 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
a { color: var(--accent); }
button { font: inherit; padding: .5rem 1rem; border: 1px solid var(--accent); border-radius: .4rem; background: none; color: var(--accent); cursor: pointer; }
button:focus-visible, a:focus-visible, input:focus-visible, select:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
select, input[type="text"] { font: inherit; padding: .4rem; }
label { display: block; margin: .3rem 0; }
fieldset { border: 1px solid var(--line); border-radius: .4rem; margin: 1rem 0; }
.cards { list-style: none; padding: 0; } .cards li { border: 1px solid var(--line); border-radius: .4rem; padding: .5rem 1rem; margin: .5rem 0; }
.aside { opacity: .8; font-size: .9rem; } .warning { border-left: .3rem solid #b3261e; padding-left: .8rem; }
.choices { display: flex; gap: 1rem; }
code { overflow-wrap: anywhere; }
`;
