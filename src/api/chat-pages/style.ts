/** The styles of chat pages, after the common ones. */
export const chatStyle = `
body{justify-content:flex-start;padding:0;height:100vh;height:100dvh}
main{max-width:760px;height:100%;display:flex;flex-direction:column;padding:0;border-width:0 1px;border-radius:0;box-shadow:none}
header{display:flex;gap:12px;align-items:center;padding:14px 20px;border-bottom:1px solid var(--line)}
header h1{margin:0;font-size:18px;flex:1;min-width:0}
header img{max-height:32px;max-width:140px}
header a{font-size:14px;color:inherit;white-space:nowrap}
.brand{margin:0}
.log{flex:1;overflow-y:auto;padding:20px;overflow-wrap:anywhere}
.log ul{margin:0;padding:0;list-style:none}
.log li{margin:0 0 14px;display:flex;flex-direction:column;align-items:flex-start}
.log li.user{align-items:flex-end}
.log p{margin:0;padding:10px 14px;border-radius:14px;max-width:88%;white-space:pre-wrap;background:var(--page);border:1px solid var(--line)}
.log li.user p{background:var(--tint);border-color:var(--line)}
.log .asked{background:var(--warn-tint);color:var(--warn);margin:0 0 8px}
.log .asked a{color:inherit}
.log .failed{background:var(--bad-tint);color:var(--bad)}
.status{min-height:24px;padding:0 20px;margin:0;font-size:14px;color:var(--soft)}
form{padding:8px 20px 20px;display:flex;flex-wrap:wrap;gap:10px;align-items:flex-end}
form textarea{flex:1;min-width:180px;min-height:48px;max-height:180px;border-color:var(--edge)}
form button{flex:none}
.files{flex-basis:100%;font-size:14px}
.files input{max-width:100%;font:inherit}
.visually-hidden{position:absolute;width:1px;height:1px;margin:-1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
button[disabled]{opacity:.6;cursor:default}
a:focus-visible,.log:focus-visible,.files input:focus-visible{outline:3px solid color-mix(in srgb,var(--accent) 40%,transparent);outline-offset:1px}
:root{--edge:#7d8896}
@media(prefers-color-scheme:dark){:root{--edge:#7a8796}}
@media(max-width:480px){main{padding:0;border-width:0}.log{padding:14px}form{padding:8px 14px 14px}}
`;
