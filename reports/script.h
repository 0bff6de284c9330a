// The scripts of the pages: inline, without network, and not needed to read a page.
#pragma once
#include <string_view>

namespace reprise::reports {

/// Buttons that copy a table as LaTeX, Markdown or CSV: its own text in that form where the page
/// holds one (<template>), else its cells.
inline constexpr std::string_view copy_script = R"JS(
'use strict';
{
  const rows = table => [...table.rows].map(row => [...row.cells].map(cell => {
    const number = cell.querySelector('data');
    const shown = cell.innerText.replace(/\s+/g, ' ').trim();
    return {shown, exact: number && number.textContent.trim() === shown ? number.value : shown};
  }));
  const forms = {
    LaTeX: table => {
      const special = {
        '\\': '\\textbackslash{}', '~': '\\textasciitilde{}', '^': '\\textasciicircum{}',
        '<': '\\textless{}', '>': '\\textgreater{}', '\u2212': '$-$', '±': '$\\pm$', '†': '\\dag{}',
        '…': '\\dots{}', '✓': '', '✗': '', '◐': '', '⊘': ''};
      const signs = /[\\~^<>&%$#_{}\u2212±†…✓✗◐⊘]/g;
      const escape = text => text.replace(signs, c => special[c] ?? '\\' + c).trim();
      const line = row => row.map(cell => escape(cell.shown)).join(' & ') + ' \\\\';
      const [head, ...body] = rows(table).map(line);
      const columns = 'l'.repeat(table.rows[0].cells.length);
      return ['\\begin{tabular}{' + columns + '}', '\\toprule', head, '\\midrule', ...body,
        '\\bottomrule', '\\end{tabular}'].join('\n');
    },
    Markdown: table => {
      const escape = text => text.replace(/[\\|<*_`]/g, '\\$&');
      const line = row => '| ' + row.map(cell => escape(cell.shown)).join(' | ') + ' |';
      const lines = rows(table).map(line);
      lines.splice(1, 0, '|' + ' --- |'.repeat(table.rows[0].cells.length));
      return lines.join('\n');
    },
    CSV: table => {
      const quote = text => /[",\n]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text;
      return rows(table).map(row => row.map(cell => quote(cell.exact)).join(',')).join('\n');
    },
  };
  const copy = async text => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {  // no clipboard for this page: the old way
      const area = document.body.appendChild(document.createElement('textarea'));
      area.value = text;
      area.select();
      document.execCommand('copy');
      area.remove();
    }
  };
  for (const box of document.querySelectorAll('.copyable')) {
    const line = document.createElement('p');
    line.className = 'copy';
    line.append('copy as ');
    for (const [form, make] of Object.entries(forms)) {
      const button = document.createElement('button');
      button.type = 'button';
      button.textContent = form;
      button.addEventListener('click', async () => {
        const own = box.querySelector('template[data-form="' + form + '"]');
        const made = () => [...box.querySelectorAll('table')].map(make).join('\n\n');
        await copy((own ? own.content.textContent : made()) + '\n');
        button.textContent = 'copied';
        setTimeout(() => { button.textContent = form; }, 1200);
      });
      line.append(button, ' ');
    }
    box.append(line);
  }
}
)JS";

/// details.html: a box that searches articles and rows of tables, buttons for verdicts, and tables
/// that a click on a title sorts.
inline constexpr std::string_view details_script = R"JS(
{
  const controls = document.getElementById('controls');
  controls.hidden = false;
  const box = controls.querySelector('input'), none = controls.querySelector('.nothing');
  const articles = [...document.querySelectorAll('article')].map(article => ({
    article,
    title: [...article.querySelectorAll('h3, .source, .caption')]
      .map(e => e.textContent).join(' ').toLowerCase(),
    text: article.textContent.toLowerCase(),
    // A row of published values belongs to the row above it.
    rows: [...article.querySelectorAll('tbody tr:not(.published)')]
      .map(row => ({row, text: row.textContent.toLowerCase()})),
    verdicts: [article, ...article.querySelectorAll('[data-verdict]')]
      .map(e => e.dataset.verdict).filter(Boolean),
  }));
  const chosen = new Set();
  const show = () => {
    const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    const holds = text => words.every(word => text.includes(word));
    let count = 0;
    for (const {article, title, text, rows, verdicts} of articles) {
      const fits = holds(text) &&
        (chosen.size === 0 || verdicts.some(verdict => chosen.has(verdict)));
      article.hidden = !fits;
      count += fits;
      // Without a row that fits, the words stand elsewhere in the article: all of it is shown.
      const some = fits && words.length > 0 && !holds(title) && rows.some(row => holds(row.text));
      for (const row of rows) {
        row.row.hidden = some && !holds(row.text);
        const below = row.row.nextElementSibling;
        if (below && below.classList.contains('published')) below.hidden = row.row.hidden;
        const fold = row.row.closest('details');
        if (some && fold && !row.row.hidden) fold.open = true;
      }
    }
    for (const section of document.querySelectorAll('main > section'))
      section.hidden = section.querySelector('article') !== null &&
        section.querySelector('article:not([hidden])') === null;
    none.hidden = count > 0;
  };
  box.addEventListener('input', show);
  for (const verdict of [...new Set(articles.flatMap(one => one.verdicts))].sort()) {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = verdict;
    button.setAttribute('aria-pressed', 'false');
    button.addEventListener('click', () => {
      if (!chosen.delete(verdict)) chosen.add(verdict);
      button.setAttribute('aria-pressed', String(chosen.has(verdict)));
      show();
    });
    controls.insertBefore(button, none);
  }

  const value = (row, column) => {
    const cell = row.cells[column];
    const number = cell && cell.querySelector('data');
    return number ? Number(number.value) : cell ? cell.textContent.trim() : '';
  };
  // Numbers come before texts.
  const compare = (a, b) => {
    const numbers = (typeof a === 'number') + (typeof b === 'number');
    if (numbers === 2) return a - b;
    if (numbers === 1) return typeof a === 'number' ? -1 : 1;
    return a.localeCompare(b, 'en', {numeric: true});
  };
  for (const head of document.querySelectorAll('thead th')) {
    head.classList.add('sorts');
    head.addEventListener('click', () => {
      const down = head.getAttribute('aria-sort') === 'ascending';
      for (const other of head.parentElement.cells) other.removeAttribute('aria-sort');
      head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
      const body = head.closest('table').tBodies[0], groups = [];
      for (const row of body.rows)
        if (row.classList.contains('published') && groups.length > 0) groups.at(-1).push(row);
        else groups.push([row]);
      const key = group => value(group[0], head.cellIndex);
      groups.sort((a, b) => (down ? -1 : 1) * compare(key(a), key(b)));
      body.append(...groups.flat());
    });
  }
  // A link to a claim opens what is folded there.
  const arrive = () => {
    const id = decodeURIComponent(location.hash.slice(1));
    const target = id && document.getElementById(id);
    let fold = target && target.closest('details');
    for (; fold; fold = fold.parentElement.closest('details')) fold.open = true;
  };
  addEventListener('hashchange', arrive);
  arrive();
}
)JS";

}  // namespace reprise::reports
