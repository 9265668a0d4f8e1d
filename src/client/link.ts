/** Reads the header `Link` (RFC 8288), which may have links of several relations, and of proxies. */

/** A link: its target in angle brackets, and its parameters, in which quoted texts may have any character. */
const LINK = /<([^<>]*)>((?:[^,"<]|"(?:[^"\\]|\\.)*")*)/g;
const PARAMETER = /;\s*([\w*-]+)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*)))?/g;

/** Returns the query of the first link to the next page; `undefined` if there is none. */
export function queryOfNext(header: string): URLSearchParams | undefined {
  for (const [, target = '', parameters = ''] of header.matchAll(LINK)) {
    const isNext = relationsIn(parameters).includes('next');
    if (isNext && URL.canParse(target, BASE)) return new URL(target, BASE).searchParams;
  }
  return undefined;
}

/** Completes an address without a host: only its query is read. */
const BASE = 'http://localhost';

/** Returns the relations of a link. Those of a second `rel` do not count. */
function relationsIn(parameters: string): readonly string[] {
  for (const [, name = '', quoted, token = ''] of parameters.matchAll(PARAMETER)) {
    if (name.toLowerCase() === 'rel') return (quoted ?? token).toLowerCase().split(/\s+/);
  }
  return [];
}
