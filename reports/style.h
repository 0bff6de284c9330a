// Colours, line styles and the style sheet of figures and pages.
//
// Figures: eight colours after Okabe and Ito (2008), told apart with every common kind of colour
// blindness. The light ones are darkened so that a line shows on white, and each has a lighter twin
// for a dark background. Pages: text first, light and dark as the reader has set, tables that
// scroll in their own box on a phone.
#pragma once
#include <array>
#include <string_view>

namespace reprise::reports {

struct Ink {
  std::string_view light, dark;  ///< "#rrggbb" on a light and on a dark background
};

inline constexpr std::array<Ink, 8> series_inks = {{
    {"#0072b2", "#58aee8"},  // blue
    {"#d55e00", "#f28c4a"},  // vermilion
    {"#009e73", "#2fc79a"},  // green
    {"#b5508f", "#e08bc0"},  // purple
    {"#b38300", "#e6b93a"},  // amber
    {"#4d5561", "#b4bcc6"},  // grey
    {"#3fa7dc", "#9bd8f7"},  // sky
    {"#8c3b2a", "#cf7a66"},  // brown
}};
inline constexpr Ink text_ink = {"#1f2328", "#e6e8eb"};
inline constexpr Ink axis_ink = {"#7d858f", "#8b949e"};
inline constexpr Ink grid_ink = {"#e3e6ea", "#30353c"};

/// gnuplot dash types, solid first.
inline constexpr std::array<std::string_view, 9> dashes = {
    "1",     "(7,3)",          "(2,2.5)",   "(10,3,2,3)", "(14,4)", "(4,2,1,2,1,2)",
    "(4,6)", "(16,3,2,3,2,3)", "(12,3,5,3)"};
/// gnuplot point types: filled circle, square, triangle, diamond, then the open ones.
inline constexpr std::array<int, 9> points = {7, 5, 9, 13, 6, 4, 8, 12, 11};
inline constexpr int star = 3;

inline constexpr std::string_view page_style = R"CSS(
:root{--ink:#1f2328;--soft:#59626d;--faint:#868e98;--paper:#fff;--panel:#f6f7f9;--line:#dfe3e8;
--link:#0a5cad;
--yes:#1a6e3c;--yes-bg:#dcf3e3;--no:#a3271d;--no-bg:#fbe3e0;--open:#7a5300;--open-bg:#fbefcf;
--other:#4a5260;--other-bg:#e9ecf0;--part:#0a5382;--part-bg:#dcecf8}
@media (prefers-color-scheme:dark){:root{--ink:#e6e8eb;--soft:#a3abb5;--faint:#7d858f;
--paper:#14171b;--panel:#1c2026;--line:#31363d;--link:#7ab8f5;
--yes:#7fd9a0;--yes-bg:#173a26;--no:#f5a097;--no-bg:#472320;--open:#ecc565;--open-bg:#3f3313;
--other:#b6bec9;--other-bg:#2a2f37;--part:#86c5f4;--part-bg:#16334a}}
*{box-sizing:border-box}
html{color-scheme:light dark;-webkit-text-size-adjust:100%;scroll-behavior:smooth}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.6 system-ui,-apple-system,
"Segoe UI","Helvetica Neue",Arial,sans-serif}
main{max-width:78rem;margin:0 auto;padding:3rem 1.5rem 4rem}
p,li,dd{margin:0}
figcaption{overflow-wrap:break-word}
a{color:var(--link);text-decoration-thickness:1px;text-underline-offset:.15em}
h1{font-size:clamp(1.7rem,4vw,2.5rem);line-height:1.15;letter-spacing:-.02em;margin:.2rem 0 .6rem;
text-wrap:balance}
h2{font-size:1.45rem;line-height:1.25;letter-spacing:-.01em;margin:0 0 .8rem}
h3{font-size:1.1rem;line-height:1.35;margin:0 0 .3rem}
.eyebrow{margin:0;color:var(--faint);font-size:.8rem;letter-spacing:.07em;text-transform:uppercase}
.document{margin:0;color:var(--soft);font-size:1.08rem;max-width:46rem}
.lead,.caption{color:var(--soft);max-width:46rem;margin:.2rem 0 1rem}
section{margin-top:2.6rem;scroll-margin-top:1rem}
article{margin:0 0 3rem}
.facts-list{display:grid;grid-template-columns:repeat(auto-fill,minmax(15rem,1fr));gap:.9rem 2rem;
background:var(--panel);border-radius:10px;padding:1.1rem 1.3rem;margin:0}
.facts-list dt{font-size:.78rem;color:var(--faint)}
.facts-list dd{margin:0;font-size:.95rem;line-height:1.45}
.facts-list dd span{white-space:nowrap}
.facts-list small{color:var(--faint)}
.badge{display:inline-block;white-space:nowrap;font-size:.8rem;font-weight:600;line-height:1;
padding:.32em .65em;border-radius:99px;color:var(--other);background:var(--other-bg)}
.badge i{font-style:normal}
.badge.part{color:var(--part);background:var(--part-bg)}
.badge.yes{color:var(--yes);background:var(--yes-bg)}
.badge.no{color:var(--no);background:var(--no-bg)}
.badge.open{color:var(--open);background:var(--open-bg)}
.opening{font-size:1.15rem;line-height:1.5;max-width:44rem;margin:1.2rem 0 0}
.answer{font-size:1.15rem;line-height:1.5;font-weight:600;max-width:44rem;margin:1rem 0}
.card img{display:block;max-width:100%;height:auto;max-height:22rem;width:auto;
image-rendering:pixelated;margin:0}
.rerun-line,.rerun{color:var(--yes)}.rerun.differs{color:var(--no);font-weight:600}
.rerun-line{font-weight:600;margin:.3rem 0}
.counts{font-weight:600;margin:.8rem 0 .3rem}
.data{color:var(--soft);font-size:.82rem;margin:.3rem 0}
.to-details{margin:2.4rem 0 0;font-size:1.1rem}.limits,.findings{max-width:50rem}
.limits li{margin:.4rem 0}
.claims,.map{width:100%}.claims th,.claims td,.map th,.map td{text-align:left;vertical-align:top;
padding:.45rem 1rem .45rem 0;border-bottom:1px solid var(--line)}
.claims tbody th{font-weight:500;width:24%}
.claims thead th,.map thead th,.verdicts thead th{color:var(--faint);font-weight:500}
.map tbody th{font-weight:500;white-space:nowrap}
.claims .source,.map .source,.verdicts .source{display:block;color:var(--faint);font-weight:400}
.effects{list-style:none;margin:0;padding:0}.effects li{margin:0 0 .2rem}
.claims td:nth-child(5){width:26%}.claims .what{color:var(--soft)}
.item{margin:2.2rem 0 0}.item>h3{font-size:1.2rem}.item article{margin:0 0 1.6rem}
.item h4{font-size:1rem;margin:.8rem 0 .2rem}
.copy{font-size:.8rem;color:var(--faint);margin:.35rem 0 0}
.copy button,#controls button{font:inherit;color:var(--link);background:none;
border:1px solid var(--line);border-radius:6px;padding:.05rem .5rem;cursor:pointer}
#controls{position:sticky;top:0;z-index:2;background:var(--paper);display:flex;flex-wrap:wrap;
gap:.4rem .6rem;align-items:center;padding:.7rem 0;border-bottom:1px solid var(--line)}
#controls[hidden],#controls [hidden],article[hidden],tr[hidden],section[hidden]{display:none}
#controls input{font:inherit;min-width:0;width:18rem;max-width:100%;padding:.2rem .5rem;
color:var(--ink);background:var(--panel);border:1px solid var(--line);border-radius:6px}
#controls button[aria-pressed=true]{background:var(--link);color:var(--paper)}
.sorts{cursor:pointer}.sorts[aria-sort=ascending]::after{content:" ↑"}
.sorts[aria-sort=descending]::after{content:" ↓"}
.wiring{max-width:46rem;margin:1.2rem 0 0;padding:.8rem 1.1rem;border-radius:8px;
background:var(--open-bg);color:var(--open)}
.findings{padding-left:1.3rem;margin:0}.findings li{margin:.5rem 0}
.findings b{font-variant-numeric:tabular-nums}.stale{color:var(--no)}
.claim{border-left:4px solid var(--line);padding:.1rem 0 .2rem 1.1rem;margin:0 0 1rem}
.claim.part{border-color:var(--part)}.claim.yes{border-color:var(--yes)}
.claim.no{border-color:var(--no)}.claim.open{border-color:var(--open)}
.claim h3{font-size:1rem;line-height:1.35;margin:.3rem 0 .05rem;max-width:50rem}
.claim p{margin:0 0 .3rem;max-width:60rem}.why{max-width:50rem}
.reason{color:var(--soft);font-size:.9rem}
.facts{display:flex;flex-wrap:wrap;gap:.1rem 1.3rem;font-size:.9rem;
font-variant-numeric:tabular-nums}
.lacks{color:var(--no)}.requirements{margin:.1rem 0 .4rem;padding-left:1.1rem;font-size:.9rem;
max-width:50rem}
.claim .source{color:var(--faint);font-size:.82rem}.interval{white-space:nowrap}
.verdicts td,.verdicts th{padding:.18rem 1.1rem .28rem 0;text-align:left;font-weight:500;
vertical-align:baseline;border-bottom:1px solid var(--line)}
.verdicts td.facts{display:table-cell;font-size:.86rem}.verdicts td.facts span{margin-right:1.1rem}
.more{margin:1rem 0 0}.more>summary{font-size:.95rem}.more article{margin-top:1.5rem}
.glossary{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:.3rem 1.2rem;
margin:.5rem 0;font-size:.92rem;max-width:52rem}.glossary dd{margin:0}.glossary dt{font-weight:600}
.words{margin:-.5rem 0 .4rem}.words>summary{color:var(--soft);font-size:.85rem;width:auto;
max-width:60rem}
details>summary{cursor:pointer;color:var(--link);font-size:.9rem;width:fit-content}
details[open]>summary{margin-bottom:.5rem}
pre{margin:0;padding:.8rem 1rem;background:var(--panel);border-radius:8px;overflow-x:auto;
font-size:.85rem;line-height:1.5}
code{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;
font-size:.92em}
.scroll{background:linear-gradient(to right,var(--paper) 40%,transparent) 0 0/3rem 100%,
linear-gradient(to left,var(--paper) 40%,transparent) 100% 0/3rem 100%,
linear-gradient(to right,var(--line),transparent) 0 0/.8rem 100%,
linear-gradient(to left,var(--line),transparent) 100% 0/.8rem 100%;
background-repeat:no-repeat;background-attachment:local,local,scroll,scroll;overflow-x:auto;
overscroll-behavior-x:contain;max-width:100%}
table{border-collapse:collapse;font-size:.88rem;line-height:1.4;
font-variant-numeric:tabular-nums lining-nums}
.grid{border-top:1.5px solid var(--ink);border-bottom:1.5px solid var(--ink)}
.grid th,.grid td{padding:.42rem .55rem;text-align:right;vertical-align:baseline;white-space:nowrap}
.grid+.grid{margin-top:1rem}.grid.part{width:100%}.grid.dense{font-size:.8rem}
.grid.dense th,.grid.dense td{padding:.3rem .38rem}.grid.dense th:first-child{max-width:12rem}
.grid.dense .pm{display:block;font-size:.86em}
.grid .other-data{color:var(--faint);font-weight:400;font-style:italic;font-size:.86em}
.other-data .tag{font-size:1em}
.grid thead th{white-space:normal;font-weight:600;vertical-align:bottom;
border-bottom:1px solid var(--ink)}
.grid th:first-child{text-align:left;white-space:normal;max-width:15rem;position:sticky;left:0;
background:var(--paper);font-weight:600}
.grid tbody tr:not(:first-child):not(.published)>*{border-top:1px solid var(--line)}
.grid .published.other-data>*{color:var(--faint);font-style:italic}
.grid .published>*{padding-top:0;font-size:.86em;color:var(--soft);font-weight:400}
.grid tbody tr.bound>*{color:var(--soft)}
.grid tbody tr.bound.first>*{border-top:1.5px solid var(--ink)}
.paired{display:block;color:var(--faint);font-size:.8em}.paired.apart{color:var(--ink)}
.row-name{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.grid .best{background:var(--panel)}
.pm{color:var(--soft)}.n{color:var(--faint);font-size:.74em}
.n.fewer{color:var(--open);font-weight:600}
.tag{font-size:.86em;border:1px solid var(--line);border-radius:4px;padding:0 .3em;
color:var(--soft)}
.unverified,.unverified td,.grid .unverified,.missing{color:var(--faint)}
.unverified .tag{color:var(--faint)}
.missing{font-style:italic;font-size:.86em}
.plain{font-size:.86rem;min-width:min(100%,40rem)}
.plain th,.plain td{text-align:left;padding:.32rem .8rem .32rem 0;
border-bottom:1px solid var(--line);vertical-align:top;white-space:nowrap}
.plain thead th{color:var(--faint);font-weight:500}.plain tbody th{font-weight:500}
.plain .num{text-align:right}.plain td.error{white-space:pre-wrap;min-width:20rem;color:var(--no)}
.remarks{margin:.7rem 0 0;padding:0;list-style:none;overflow-wrap:anywhere;font-size:.85rem;
line-height:1.5;color:var(--soft);max-width:52rem}
.files{margin:.6rem 0 .2rem;font-size:.9rem;color:var(--soft)}
figure{margin:0}
figcaption{color:var(--soft);font-size:.9rem;line-height:1.5;max-width:46rem;margin-top:.5rem}
.drawing img,picture img{display:block;max-width:100%;height:auto}
.gallery{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(20rem,100%),1fr));
gap:1.4rem;margin:.4rem 0 .8rem}
.gallery.opens{grid-template-columns:repeat(auto-fit,minmax(min(15rem,100%),1fr))}
.gallery.opens figure{max-width:46rem}.gallery.wide{grid-template-columns:minmax(0,1fr);gap:.9rem}
.gallery img{display:block;width:100%;height:auto;image-rendering:pixelated;border-radius:6px;
background:var(--panel)}
.sheet{display:grid;grid-template-columns:minmax(0,1fr);gap:.15rem .4rem;font-size:.72rem;
line-height:1.1;color:var(--soft)}
.sheet.named{grid-template-columns:max-content minmax(0,1fr)}.sheet.named .columns{grid-column:2}
.sheet .columns{display:grid;grid-auto-flow:column;grid-auto-columns:minmax(0,1fr);
text-align:center}
.sheet .rows{display:grid;grid-auto-rows:minmax(0,1fr);align-items:center;text-align:right}
.gallery audio{display:block;width:100%}
.cell{display:block;color:var(--faint);font-size:.85em}
.none{color:var(--faint);font-style:italic;border:1px dashed var(--line);border-radius:8px;
padding:1.1rem 1.3rem;margin:0}
#notes p{max-width:46rem}
.studies article{margin:0 0 3.4rem;display:grid;grid-template-columns:minmax(0,1fr);gap:1rem 2rem}
@media (min-width:62rem){.studies article{grid-template-columns:minmax(0,22rem) minmax(0,1fr)}
.studies article>div:only-child{grid-column:1/-1}}
.studies .scroll{margin:.8rem 0}
footer{margin-top:4rem;padding-top:1rem;border-top:1px solid var(--line);color:var(--faint);
font-size:.85rem}
@media (max-width:40rem){main{padding:1.6rem 1rem 3rem}
.glossary{grid-template-columns:minmax(0,1fr)}section{margin-top:2.2rem}.drawing img{max-width:none}
.facts-list{grid-template-columns:1fr;gap:.6rem}
.claims,.claims tbody,.claims tr,.claims th,.claims td{display:block;width:auto!important}
.claims thead{display:none}.claims tr{border-bottom:1px solid var(--line);padding:.5rem 0}
.claims tbody th,.claims td{border:0;padding:.15rem 0}.claims td:empty{display:none}
.claims td[data-title]::before{content:attr(data-title) ": ";color:var(--faint)}
.map tbody th{white-space:normal}
.grid th:first-child{max-width:8rem;white-space:normal;overflow-wrap:anywhere}}
@media print{.make,.copy,#controls{display:none}.scroll{overflow:visible;background:none}
article,figure,tr{break-inside:avoid}body{font-size:11px}main{padding:0;max-width:none}}
)CSS";

/// Style of a claim's forest plots.
inline constexpr std::string_view forest_style =
    "<style>.forest{--ink:#1f2328;--soft:#59626d;--line:#dfe3e8;--yes:#1a6e3c;--no:#a3271d;"
    "--open:#8a6500}"
    "@media (prefers-color-scheme:dark){.forest{--ink:#e6e8eb;--soft:#a3abb5;--line:#31363d;"
    "--yes:#7fd9a0;--no:#f5a097;--open:#ecc565}}"
    ".forest text{font:12.5px system-ui,sans-serif;fill:var(--ink)}.forest .fh{font-weight:600}"
    ".forest .fk{fill:var(--soft);font-size:12px}"
    ".forest .fn{font-family:ui-monospace,Menlo,Consolas,monospace;font-size:12px}"
    ".forest .fn.no{fill:var(--no)}"
    ".forest .tick{stroke:var(--line)}.forest .zero{stroke:var(--soft);stroke-width:1.5}"
    ".forest .i{stroke-width:2.5}"
    ".forest .i.yes{stroke:var(--yes)}.forest .d.yes{fill:var(--yes)}"
    ".forest .i.no{stroke:var(--no)}.forest .d.no{fill:var(--no)}"
    ".forest .i.open{stroke:var(--open)}.forest .d.open{fill:var(--open)}"
    ".forest .doc{fill:none;stroke:var(--ink);stroke-width:1.5}.forest .margin{fill:var(--line)}"
    "</style>";

}  // namespace reprise::reports
