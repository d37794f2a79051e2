/** The styles of the pages, embedded because the pages load nothing. */
export const style = `
:root{color-scheme:light dark;--page:#f4f5f7;--card:#fff;--ink:#1b2430;--soft:#5b6673;--line:#dde1e7;--field:#fff;--accent:#4246c6;--accent-ink:#fff;--accent-deep:#3337ab;--tint:#eeeffc;--warn:#8a4b00;--warn-tint:#fdf3e3;--bad:#a3211b;--bad-tint:#fdecea}
@media(prefers-color-scheme:dark){:root{--page:#11161c;--card:#1a2129;--ink:#e8ecf1;--soft:#9ba7b4;--line:#313b46;--field:#131920;--accent:#9aa0ff;--accent-ink:#12132b;--accent-deep:#b4b9ff;--tint:#24264a;--warn:#f0b766;--warn-tint:#2d2415;--bad:#ff9a92;--bad-tint:#331b1b}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;min-height:100vh;min-height:100dvh;display:flex;flex-direction:column;align-items:center;justify-content:center;padding:24px 16px;background:var(--page);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
main{width:100%;max-width:420px;padding:32px;background:var(--card);border:1px solid var(--line);border-radius:14px;box-shadow:0 1px 2px rgba(10,20,30,.06),0 12px 32px rgba(10,20,30,.07)}
.brand{display:flex;align-items:center;gap:10px;margin:0 0 24px;font-weight:650;letter-spacing:-.01em}
.brand svg{width:26px;height:26px}
.brand .weft{stroke:var(--accent)}
h1{margin:0 0 6px;font-size:22px;line-height:1.25;letter-spacing:-.015em;overflow-wrap:anywhere}
p{margin:0 0 16px}
.soft{color:var(--soft)}
.small{font-size:14px}
strong{font-weight:620;overflow-wrap:anywhere}
label{display:block}
.field{margin:0 0 16px}
.field>span{display:block;margin:0 0 6px;font-size:14px;font-weight:560}
input[type=email],input[type=password]{width:100%;height:44px;padding:0 12px;font:inherit;color:inherit;background:var(--field);border:1px solid var(--line);border-radius:9px}
input:focus-visible,textarea:focus-visible,button:focus-visible{outline:3px solid color-mix(in srgb,var(--accent) 40%,transparent);outline-offset:1px;border-color:var(--accent)}
input[readonly]{color:var(--soft);background:var(--page)}
.note{margin:0 0 16px;padding:10px 12px;overflow-wrap:anywhere;border-radius:9px;font-size:14px;background:var(--warn-tint);color:var(--warn)}
.note.good{background:var(--tint);color:var(--ink)}
.text{white-space:pre-wrap;overflow-wrap:anywhere}
textarea{width:100%;padding:10px 12px;font:inherit;color:inherit;background:var(--field);border:1px solid var(--line);border-radius:9px;resize:vertical}
.note.bad{background:var(--bad-tint);color:var(--bad)}
.facts{margin:18px 0;padding:0;border:1px solid var(--line);border-radius:10px;font-size:14px}
.facts div{display:flex;gap:12px;justify-content:space-between;padding:9px 12px}
.facts div+div{border-top:1px solid var(--line)}
.facts dt{color:var(--soft);flex:none}
.facts dd{margin:0;text-align:right;overflow-wrap:anywhere;font-weight:560}
fieldset{margin:0 0 18px;padding:0;border:0}
legend{padding:0;margin:0 0 8px;font-size:14px;font-weight:560}
.scope{display:flex;gap:11px;align-items:flex-start;padding:9px 10px;margin:0 0 6px;border-radius:9px;background:var(--tint)}
.scope input{flex:none;width:18px;height:18px;margin:3px 0 0;accent-color:var(--accent)}
.scope b{display:block;font-weight:560}
.scope i{display:block;font-style:normal;font-size:13px;color:var(--soft)}
.scope.strong{background:var(--warn-tint)}
.scope.strong b{color:var(--warn)}
.scope.off{opacity:.6}
.actions{display:flex;gap:10px;margin:22px 0 0}
button{flex:1;min-height:44px;padding:0 16px;font:inherit;font-weight:600;border-radius:9px;border:1px solid var(--line);background:transparent;color:inherit;cursor:pointer}
button:hover{border-color:var(--soft)}
button.main{border-color:transparent;background:var(--accent);color:var(--accent-ink)}
button.main:hover{background:var(--accent-deep)}
button.link{flex:none;min-height:0;padding:0;border:0;font-weight:560;font-size:14px;color:var(--accent);text-decoration:underline;text-underline-offset:2px}
.foot{margin:18px 0 0;font-size:13px;color:var(--soft);text-align:center}
code{font:13px/1.4 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;overflow-wrap:anywhere}
.actions .main{order:1}
@media(max-width:480px){body{justify-content:flex-start;padding:12px}main{padding:24px 20px}.actions{flex-direction:column}.actions .main{order:0}button{flex:none}}
`;
