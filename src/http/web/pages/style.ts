/** The one style sheet; the pages have no other style. */
export const style = `:root { color-scheme: light dark; --line: #8885; --accent: #0b57d0; --on-accent: #fff; --warning: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --accent: #a8c7fa; --on-accent: #062e6f; --warning: #f2b8b5; } }
body { font: 1rem/1.5 system-ui, sans-serif; margin: 0; overflow-wrap: anywhere; }
main { max-width: 38rem; margin: 0 auto; padding: 2rem 1rem; }
h1 { font-size: 1.5rem; line-height: 1.3; } h2 { font-size: 1.15rem; margin-top: 2rem; } h3 { font-size: 1rem; margin-top: 1.5rem; }
a { color: var(--accent); }
button { font: inherit; padding: .5rem 1rem; border: 1px solid var(--accent); border-radius: .4rem; background: none; color: var(--accent); cursor: pointer; }
summary { padding: .5rem 0; color: var(--accent); cursor: pointer; }
button.main { background: var(--accent); color: var(--on-accent); }
button:disabled { opacity: .6; cursor: default; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
select, textarea, input[type="text"], input[type="search"] { font: inherit; padding: .45rem .6rem; border: 1px solid #888; border-radius: .4rem; max-width: 100%; box-sizing: border-box; }
label { display: block; margin: .3rem 0; }
fieldset { min-width: 0; border: 1px solid var(--line); border-radius: .4rem; margin: 1rem 0; padding: .5rem 1rem; }
fieldset label { display: flex; align-items: baseline; gap: .6rem; }
textarea { width: 100%; } .text { white-space: pre-wrap; }
time { white-space: nowrap; }
[role="status"]:empty { margin: 0; }
.cards { list-style: none; padding: 0; } .cards li { border: 1px solid var(--line); border-radius: .4rem; padding: .8rem 1rem; margin: .6rem 0; }
.cards p, .row p, .row form { margin: 0; } .cards p + form, .cards .row { margin-top: .6rem; } .cards dl { margin: .6rem 0; }
.aside { opacity: .8; font-size: .9rem; } .warning { border-left: .3rem solid var(--warning); padding-left: .8rem; }
.row { display: flex; flex-wrap: wrap; align-items: center; gap: .6rem 1rem; } .row a { padding: .3rem 0; } .row input { flex: 0 1 20rem; min-width: 8rem; }
`;
