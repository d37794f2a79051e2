/** The styles of all pages. They load nothing. */
export const style = `
:root{color-scheme:light dark;--page:#fff;--side:#f6f7f9;--ink:#1b2430;--soft:#566270;--faint:#5f6b78;--line:#e2e6eb;--accent:#4246c6;--tint:#eeeffc;--chip:#f0f2f5;--code:#0f1720;--code-head:#18222d;--code-ink:#dbe3ec;--code-soft:#98a6b5;--key:#8fd3ff;--string:#a5e3b6;--number:#f5c28b;--get:#1f5fbf;--get-bg:#e8f0fd;--post:#14703b;--post-bg:#e4f5ea;--put:#8a5200;--put-bg:#fdf1dd;--delete:#b3261e;--delete-bg:#fdeceb;--patch:#6b3fa0;--patch-bg:#f1eafb;--required:#9a3412}
@media screen and (prefers-color-scheme:dark){:root{--page:#0f141a;--side:#131a21;--ink:#e4eaf0;--soft:#a5b1bd;--faint:#93a0ad;--line:#26303a;--accent:#9aa0ff;--tint:#24264a;--chip:#1c252e;--code:#0a0f14;--code-head:#161e27;--get:#8db9ff;--get-bg:#15263f;--post:#7fd8a0;--post-bg:#12301f;--put:#f2bd70;--put-bg:#352610;--delete:#ff9d95;--delete-bg:#3a1917;--patch:#cdadf7;--patch-bg:#2a1d3d;--required:#f5a97f}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;scroll-behavior:smooth;scroll-padding-top:24px}
@media(prefers-reduced-motion:reduce){html{scroll-behavior:auto}}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.6 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
a{color:var(--accent);text-decoration:none}
a:hover{text-decoration:underline;text-underline-offset:2px}
main p a,main li a{text-decoration:underline;text-decoration-color:color-mix(in srgb,var(--accent) 40%,transparent);text-underline-offset:2px}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:4px}
main:focus{outline:none}
code,pre,.path{font-family:ui-monospace,SFMono-Regular,"SF Mono",Menlo,Consolas,"Liberation Mono","DejaVu Sans Mono",monospace}
code{font-size:.86em;overflow-wrap:anywhere}
td:first-child code{overflow-wrap:break-word}
.words p code,.words li>p code,td code,.plain code,.facts code{padding:.1em .35em;border-radius:5px;background:var(--chip)}
.words a code{background:transparent;padding:0}
.skip{position:absolute;left:-9999px;top:8px;padding:8px 14px;background:var(--page);z-index:5;border-radius:8px}
.skip:focus{left:8px}
.bar{display:none}
.brand{display:flex;align-items:center;gap:9px;color:var(--ink);font-weight:680;font-size:17px;letter-spacing:-.01em}
.brand:hover{text-decoration:none}
.brand svg{color:var(--accent);flex:none}
.brand small{font-weight:560;font-size:12px;color:var(--soft);padding:1px 7px;border:1px solid var(--line);border-radius:99px}
nav{position:fixed;inset:0 auto 0 0;width:272px;overflow-y:auto;padding:22px 14px 40px 18px;background:var(--side);border-right:1px solid var(--line);font-size:14px;line-height:1.4;overscroll-behavior:contain}
.nav-head{padding:0 8px 14px}
.close{display:none}
.filter{margin:0 8px 8px}
.filter label{position:absolute;clip-path:inset(50%);width:1px;height:1px;overflow:hidden}
.filter input{width:100%;height:34px;padding:0 11px;font:inherit;color:inherit;background:var(--page);border:1px solid var(--line);border-radius:8px}
.part{margin:0 0 6px}
.part-name{margin:18px 8px 5px;font-size:12px;font-weight:650;letter-spacing:.06em;text-transform:uppercase;color:var(--faint)}
nav ul{list-style:none;margin:0;padding:0}
nav li a{display:flex;gap:8px;align-items:center;justify-content:space-between;padding:5px 8px;border-radius:7px;color:var(--ink)}
nav li a:hover{background:var(--chip);text-decoration:none}
nav li a[aria-current]{background:var(--tint);color:var(--accent);font-weight:620}
nav .entries{margin:2px 0 8px 10px;padding-left:8px;border-left:1px solid var(--line)}
nav .entries a{color:var(--soft);font-size:13.5px;padding:4px 8px}
nav .entries a:hover{color:var(--ink)}
nav .entries[data-folded]{display:none}
nav.filtering .entries{display:block}
nav [hidden]{display:none!important}
.method{display:inline-block;flex:none;padding:1px 7px;border-radius:5px;font:650 11px/1.6 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;letter-spacing:.02em;color:var(--get);background:var(--get-bg)}
nav .method{font-size:9.5px;padding:0 5px}
.post{color:var(--post);background:var(--post-bg)}
.put{color:var(--put);background:var(--put-bg)}
.patch{color:var(--patch);background:var(--patch-bg)}
.delete{color:var(--delete);background:var(--delete-bg)}
main{margin-left:272px;padding:52px 56px 40px;max-width:1360px}
h1{margin:0 0 10px;font-size:32px;line-height:1.2;letter-spacing:-.022em;overflow-wrap:anywhere}
h2{margin:0 0 10px;font-size:22px;line-height:1.3;letter-spacing:-.014em;overflow-wrap:anywhere}
h3{margin:26px 0 8px;font-size:14px;line-height:1.4;font-weight:650;letter-spacing:.01em}
.anchor{margin-left:8px;color:var(--faint);font-weight:400;opacity:0;font-size:.8em}
h2:hover .anchor,h3:hover .anchor,.anchor:focus-visible{opacity:1;text-decoration:none}
p{margin:0 0 12px}
.lead{font-size:17.5px;color:var(--soft);max-width:68ch}
.routes{display:grid;gap:2px;margin:18px 0 0;max-width:640px;border:1px solid var(--line);border-radius:11px;padding:8px;font-size:14px}
.routes a{display:flex;gap:11px;align-items:baseline;padding:4px 8px;border-radius:7px;color:var(--ink);text-decoration:none!important}
.routes a:hover{background:var(--chip)}
.routes .method{min-width:58px;text-align:center}
.row{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,1fr);gap:44px;padding:44px 0;border-top:1px solid var(--line)}
.lead+.row,h1+.row{margin-top:34px}
.words{min-width:0;max-width:68ch}
.codes{min-width:0;align-self:start;position:sticky;top:24px;max-height:calc(100vh - 48px);overflow-y:auto;border-radius:11px}
.row>.words:only-child{grid-column:1/-1;max-width:78ch}
.route{display:flex;gap:10px;align-items:baseline;margin:0 0 12px}
.route code{font-size:14px;background:none!important;padding:0!important}
.needs{font-size:14px;color:var(--soft)}
.fields{list-style:none;margin:0;padding:0}
.fields>li{padding:11px 0;border-top:1px solid var(--line)}
.fields>li:first-child{border-top:0;padding-top:4px}
.fields p{margin:3px 0 0;font-size:14.5px;color:var(--soft)}
.fields .facts{font-size:13px;color:var(--faint);line-height:1.9}
.field{line-height:1.5}
.field .name{font-weight:650;font-size:13.5px}
.type{font-size:13px;color:var(--faint);margin-left:4px}
.required{margin-left:6px;font-size:12px;font-weight:600;color:var(--required)}
.optional{margin-left:6px;font-size:12px;color:var(--faint)}
details{margin:9px 0 0}
summary{cursor:pointer;font-size:13.5px;font-weight:560;color:var(--accent);width:fit-content;padding:2px 4px;border-radius:5px}
summary:hover{background:var(--tint)}
.fields details>.fields,.shape>.fields{margin:8px 0 4px;padding:8px 16px;border:1px solid var(--line);border-radius:10px}
.errors{list-style:none;margin:0;padding:0;font-size:13.5px;line-height:1.9}
.errors .status{display:inline-block;min-width:34px;color:var(--faint);font-weight:600}
.panel{margin:0 0 16px;border-radius:11px;overflow:hidden;background:var(--code);color:var(--code-ink);border:1px solid var(--code-head)}
.panel figcaption{display:flex;gap:10px;align-items:center;padding:8px 14px;background:var(--code-head);color:var(--code-soft);font-size:12.5px}
.panel figcaption>span:first-child{min-width:0;overflow:hidden;text-overflow:ellipsis;white-space:nowrap;flex:1}
.panel .method{color:#dfe8f2;background:#2a3847}
.panel pre{margin:0;padding:14px 16px;overflow:auto;max-height:520px;font-size:12.8px;line-height:1.6;tab-size:2}
.panel pre:focus-visible{outline-offset:-2px;outline-color:#5fcabc}
.panel code{font-size:inherit;white-space:pre;overflow-wrap:normal}
.code-status{color:#8fdcaa;font:600 12px ui-monospace,Menlo,Consolas,monospace}
.copy{font:600 12px system-ui,sans-serif;color:var(--code-soft);background:transparent;border:1px solid #33414f;border-radius:6px;padding:2px 9px;cursor:pointer}
.copy:hover{color:#fff;border-color:#5a6b7c}
.k{color:var(--key)}.s{color:var(--string)}.n{color:var(--number)}
.more{margin:-6px 0 14px}
.more summary{margin-bottom:8px}
.table{overflow-x:auto;margin:0 0 16px;border:1px solid var(--line);border-radius:11px}
table{border-collapse:collapse;width:100%;font-size:14px;line-height:1.5}
th,td{text-align:left;vertical-align:top;padding:9px 14px;border-top:1px solid var(--line)}
thead th{border-top:0;background:var(--side);font-weight:620;font-size:13px;white-space:nowrap}
td:first-child{white-space:nowrap}
.group{margin:48px 0 0;padding-bottom:14px;font-size:13px;letter-spacing:.06em;text-transform:uppercase;color:var(--faint)}.plain{margin:0 0 14px;padding-left:20px}
.plain li{margin:4px 0}
.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(230px,1fr));gap:14px;margin:24px 0 40px;padding:0;list-style:none}
.cards a{display:block;height:100%;padding:16px 18px;border:1px solid var(--line);border-radius:12px;color:var(--ink);text-decoration:none!important}
.cards a:hover{border-color:var(--accent)}
.cards strong{display:block;margin-bottom:3px}
.cards span{font-size:14px;color:var(--soft);line-height:1.45;display:block}
.meta{display:flex;flex-wrap:wrap;gap:6px;margin:0 0 12px;padding:0;list-style:none;font-size:12.5px}
.meta li{padding:1px 9px;border:1px solid var(--line);border-radius:99px;color:var(--soft)}
footer{margin-top:40px;padding-top:22px;border-top:1px solid var(--line);font-size:13.5px;color:var(--soft)}
@media(max-width:1180px){.row{grid-template-columns:minmax(0,1fr);gap:22px}.codes{position:static;max-height:none}main{padding:44px 40px 40px}}
@media(max-width:800px){html{scroll-padding-top:72px}.bar{display:flex;position:sticky;top:0;z-index:3;align-items:center;justify-content:space-between;padding:11px 18px;background:var(--page);border-bottom:1px solid var(--line)}.menu,.close{padding:6px 12px;border:1px solid var(--line);border-radius:8px;font-size:14px;font-weight:560;color:var(--ink)}nav{display:none;width:auto;right:0;z-index:4;border:0}nav:target{display:block}.nav-head{display:flex;justify-content:space-between;align-items:center}.close{display:block}nav li a{padding:9px 8px}main{margin:0;padding:26px 18px 40px}h1{font-size:27px}h2{font-size:20px}.row{padding:32px 0}.lead{font-size:16.5px}.routes{font-size:13px}.panel{margin-left:-4px;margin-right:-4px}td:first-child{white-space:normal}}
@media print{nav,.bar,.skip,.copy,.anchor{display:none}main{margin:0;padding:0;max-width:none}.row{display:block;padding:18px 0}.codes{position:static;max-height:none;overflow:visible;margin-top:14px}.panel{background:#fff;color:#000;border:1px solid #bbb;break-inside:avoid}.panel figcaption{background:#eee;color:#333}.panel pre{max-height:none;white-space:pre-wrap;overflow:visible}.panel code{white-space:pre-wrap}.k,.s,.n,.code-status{color:#000}.panel .method{color:#000;background:#ddd}details::details-content{content-visibility:visible;height:auto;block-size:auto}a{color:inherit}h2,h3{break-after:avoid}}
`;
