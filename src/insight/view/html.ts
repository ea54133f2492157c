/** The text of the page; in the command. */

const STYLE = `
:root {
  color-scheme: light dark;
  --back: #fff; --panel: #f1f5f9; --text: #16202e; --faint: #475569; --line: #d8dee8; --link: #1d4ed8; --on: #fff;
  --root: #2563c9; --stolen: #b4400b; --apart: #4f63b8; --task: #566ad2; --units: #0f766e; --wait: #e9b949; --sleep: #cbd5e1;
  --turn: #d7c9f0; --code: #8b3fb8; --copy: #a1471a; --garbage: #c02648; --arrow: #6d28d9; --path: #d6157f;
  --problem: #b42318; --note: #8a5a00; --good: #1a7f37;
}
@media (prefers-color-scheme: dark) {
  :root {
    --back: #0f1620; --panel: #1b2532; --text: #e6edf5; --faint: #a3b1c2; --line: #2e3a4a; --link: #8ab4ff;
    --root: #376ed0; --stolen: #bd5119; --apart: #566bc4; --task: #5466c9; --units: #13796e; --wait: #7d5a00; --sleep: #35414f;
    --turn: #4a3d66; --code: #9a50c6; --copy: #b0602f; --garbage: #cf3b5a; --arrow: #c4b5fd; --path: #ff6fb5;
    --problem: #ff8a7a; --note: #e5b65c; --good: #63c17c;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--text); font: 15px/1.45 system-ui, sans-serif; }
main, header { max-width: 1500px; margin: 0 auto; padding: 0 20px; }
header { padding-top: 18px; }
h1 { font-size: 21px; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 16px; margin: 28px 0 8px; }
p { margin: 6px 0; }
.faint { color: var(--faint); font-size: 13px; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
ul { list-style: none; margin: 0; padding: 0; }
#hints li { padding: 8px 12px; margin: 6px 0; background: var(--panel); border-left: 4px solid; border-radius: 4px; }
#hints li.problem { border-color: var(--problem); } #hints .problem strong { color: var(--problem); }
#hints li.note { border-color: var(--note); } #hints .note strong { color: var(--note); }
#hints li.good { border-color: var(--good); } #hints .good strong { color: var(--good); }
button, input, select { font: inherit; color: inherit; background: var(--back); border: 1px solid var(--faint); border-radius: 4px; padding: 2px 8px; max-width: 100%; }
button { cursor: pointer; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 1px; }
.bar-of-tools { display: flex; flex-wrap: wrap; gap: 6px 10px; align-items: center; margin: 8px 0; }
.legend { display: flex; flex-wrap: wrap; gap: 2px 14px; font-size: 13px; margin: 6px 0; }
.swatch { display: inline-block; width: 12px; height: 12px; margin-right: 5px; border-radius: 2px; border: 1px solid var(--line); vertical-align: -1px; }
canvas { display: block; width: 100%; touch-action: pan-y; }
#overview { cursor: crosshair; border: 1px solid var(--line); }
.scroller { max-height: 562px; overflow: hidden auto; border: 1px solid var(--line); }
#timeline { position: sticky; top: 0; }
#chosen { display: block; min-height: 1.5em; overflow-wrap: anywhere; }
.two { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 480px), 1fr)); gap: 0 32px; }
.two > section { min-width: 0; }
svg { width: 100%; height: auto; }
svg text { font-size: 12px; fill: var(--faint); }
.bar { fill: var(--root); } line.mark { stroke: var(--path); stroke-width: 2; } svg text.mark { fill: var(--text); font-weight: 600; }
#flame { position: relative; overflow: hidden; }
#flame button { position: absolute; height: 21px; padding: 0 4px; border: 1px solid var(--back); border-radius: 3px; color: var(--on); font-size: 12px; text-align: left; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
#flame button.plain { color: var(--text); }
#flame button:focus-visible { outline-offset: -3px; outline-color: var(--text); }
#flame-told { min-height: 1.5em; overflow-wrap: anywhere; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 14px; }
th, td { text-align: right; padding: 3px 8px; border-bottom: 1px solid var(--line); white-space: nowrap; font-weight: normal; }
thead th { font-weight: 600; }
th:first-child, :is(th, td):nth-child(2), #path :is(th, td):nth-child(3) { text-align: left; }
table button { border: 0; background: none; color: var(--link); padding: 0; text-align: left; }
details { margin: 8px 0; } summary { cursor: pointer; }
kbd { border: 1px solid var(--line); border-radius: 3px; padding: 0 4px; background: var(--panel); font: 13px ui-monospace, monospace; }
@media (max-width: 640px) { main, header { padding: 0 10px; } header { padding-top: 10px; } }
`;

const BODY = `
<header><h1>TITLE</h1><p id="summary">Reading the timeline.</p></header>
<main>
<section aria-labelledby="h-hints"><h2 id="h-hints">What the timeline says</h2><ul id="hints"></ul></section>
<section aria-labelledby="h-use"><h2 id="h-use">Use of the threads</h2>
<canvas id="overview" role="img" aria-label="Use of the threads over time"></canvas>
<ul id="states" class="legend"></ul></section>
<section aria-labelledby="h-timeline"><h2 id="h-timeline">Timeline</h2>
<div class="bar-of-tools">
<button type="button" id="zoom-in" aria-label="Zoom in">+</button>
<button type="button" id="zoom-out" aria-label="Zoom out">&minus;</button>
<button type="button" id="show-all">All</button>
<span id="seen" class="faint"></span>
<label for="search">Search</label><input id="search" type="search" autocomplete="off" spellcheck="false">
<button type="button" id="previous" aria-label="Previous match">&lsaquo;</button>
<button type="button" id="next" aria-label="Next match">&rsaquo;</button>
<span id="found" class="faint" role="status"></span>
<label><input type="checkbox" id="show-path"> path that made it long</label>
</div>
<div class="scroller"><canvas id="timeline" tabindex="0" role="application" aria-label="Timeline of threads. Plus and minus zoom, left and right arrows move, up and down choose the slice around or within, J and K the one before or behind, N and P the next or previous match, slash searches, Enter zooms to the chosen slice, Home shows all."></canvas><div aria-hidden="true"></div></div>
<output id="chosen" aria-live="polite"></output>
<ul id="kinds" class="legend"></ul>
<details><summary>Mouse and keys</summary>
<p>The wheel zooms, with <kbd>Shift</kbd> it moves. Drag to move; drag with <kbd>Shift</kbd>, or in the picture above, to zoom to what you mark. A click chooses a slice, a double click zooms to it.</p>
<p><kbd>+</kbd> <kbd>&minus;</kbd> or <kbd>W</kbd> <kbd>S</kbd> zoom, <kbd>&larr;</kbd> <kbd>&rarr;</kbd> or <kbd>A</kbd> <kbd>D</kbd> move, <kbd>Home</kbd> shows all; <kbd>&uarr;</kbd> <kbd>&darr;</kbd> <kbd>J</kbd> <kbd>K</kbd> choose the slice around, within, before and behind; <kbd>Enter</kbd> zooms to it; <kbd>/</kbd> searches, <kbd>N</kbd> and <kbd>P</kbd> go to the next and the previous match.</p></details>
</section>
<div class="two">
<section aria-labelledby="h-lengths"><h2 id="h-lengths">Lengths of tasks</h2><div id="lengths"></div></section>
<section aria-labelledby="h-flame"><h2 id="h-flame">Where the time went</h2>
<p class="faint">All threads, without sleep. What is below a name ran within it; arrows move, Enter zooms.</p>
<div id="flame" role="group" aria-labelledby="h-flame"></div><p id="flame-told" class="faint" role="status"></p></section>
</div>
<section aria-labelledby="h-path"><h2 id="h-path">Path that made the run long</h2><p id="path-told"></p><div class="wide" tabindex="0" role="group" aria-label="Table of the steps"><table id="path"></table></div></section>
<section aria-labelledby="h-waits" id="waits-section" hidden><h2 id="h-waits">What waited for limits and stages</h2><div class="wide" tabindex="0" role="group" aria-label="Table of the waits"><table id="waits"></table></div><div class="wide" tabindex="0" role="group" aria-label="Table of the counts"><table id="counted"></table></div></section>
<section aria-labelledby="h-totals"><h2 id="h-totals">By name</h2><div class="wide" tabindex="0" role="group" aria-label="Table of the names"><table id="totals"></table></div><p id="totals-more" class="faint"></p></section>
</main>
`;

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** Nothing but what is in it is loaded, and nothing is sent. */
const POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'";

/**
 * @param title of the timeline
 * @param data compressed and as text: the bytes of a binary timeline
 * @param script of the page
 */
export const pageOf = (title: string, data: string, script: string): string =>
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<title>${escaped(title)} \u2013 Furcate</title>
<style>${STYLE}</style>
</head>
<body>${BODY.replace('TITLE', () => escaped(title))}<script type="application/octet-stream" id="data">${data}</script>
<script type="module">${script.replaceAll('</script', '<\\/script')}</script>
</body>
</html>
`;
