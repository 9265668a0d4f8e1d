/** A table of any length, of which only the rows in view are in the page. */
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type Problem, problemOf } from '../state/problem.ts';
import type { Rows } from '../state/rows.ts';
import { offsetOf, rowAt, type VirtualWindow, windowOf } from '../state/virtual-window.ts';
import { ProblemView } from './problems.tsx';
import { savedRow, saveRow } from './router.ts';

/** The height of a row, as the style sheet has it. */
const ROW_PX = 34;

export interface TableProps<Row> {
  readonly label: string;
  readonly columns: readonly string[];
  readonly rows: Rows<Row>;
  readonly cells: (row: Row) => readonly ComponentChildren[];
  /** The rows that are marked as new, from the first one on. */
  readonly isNew?: (row: Row) => boolean;
  /** The row that is shown first, where no earlier place is restored. */
  readonly startRow?: number;
  readonly onScroll?: (scrollPx: number) => void;
  /** Called when the rows in view are there: more rows may be known by then. */
  readonly onLoad?: (() => void) | undefined;
  /** False for a second table of a page: the place in it is not restored. */
  readonly isFirst?: boolean;
  /** The style of the columns. */
  readonly kind: string;
}

export function VirtualTable<Row>(props: TableProps<Row>) {
  const { label, columns, rows, kind, onScroll, onLoad, isFirst = true } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const end = useRef<HTMLParagraphElement>(null);
  const [scrollPx, setScrollPx] = useState(0);
  const [viewPx, setViewPx] = useState(480);
  const view = windowOf({ rows: rows.count, rowPx: ROW_PX, viewPx, scrollPx });
  const { problem, retry } = useRowsInView(rows, view, onLoad);
  useRestoredScroll(scroller, props);

  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => setViewPx(element.clientHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  const scrolled = (event: Event) => {
    const { scrollTop } = event.currentTarget as HTMLElement;
    setScrollPx(scrollTop);
    if (isFirst) saveRow(rowAt({ rows: rows.count, rowPx: ROW_PX, viewPx, scrollPx: scrollTop }));
    onScroll?.(scrollTop);
  };
  return (
    <>
      {problem !== undefined && <ProblemView problem={problem} onRetry={retry} />}
      {/* The rows come into view as the keyboard moves on: their links have no end. */}
      <button type="button" class="skip" onClick={() => end.current?.focus()}>
        Skip the table
      </button>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, by the keyboard too */}
      <section ref={scroller} class="scroller" aria-label={label} tabIndex={0} onScroll={scrolled}>
        <table
          class={kind}
          aria-label={label}
          aria-rowcount={rows.isComplete ? rows.count + 1 : -1}
        >
          <Head columns={columns} />
          <Body {...props} view={view} />
        </table>
      </section>
      <p ref={end} class="hidden" tabIndex={-1}>
        End of the table: {label}
      </p>
    </>
  );
}

function Head({ columns }: { readonly columns: readonly string[] }) {
  return (
    <thead>
      <tr aria-rowindex={1}>
        {columns.map((column) => (
          <th scope="col" key={column}>
            {column}
          </th>
        ))}
      </tr>
    </thead>
  );
}

function Body<Row>(props: TableProps<Row> & { readonly view: VirtualWindow }) {
  const { rows, columns, cells, isNew } = props;
  const { first, end, abovePx, belowPx } = props.view;
  const shown = Array.from({ length: end - first }, (_, index) => first + index);
  return (
    <tbody style={{ paddingTop: `${abovePx}px`, paddingBottom: `${belowPx}px` }}>
      {shown.map((index) => {
        const row = rows.at(index);
        const texts = row === undefined ? columns.map(() => '…') : cells(row);
        const isMarked = row !== undefined && isNew?.(row);
        return (
          // By the row, not by its number: with rows that come in above it, the focus stays on its own.
          <tr class={isMarked ? 'new' : undefined} key={row ?? index} aria-rowindex={index + 2}>
            {texts.map((text, column) => (
              <td key={columns[column]}>{text}</td>
            ))}
          </tr>
        );
      })}
    </tbody>
  );
}

/** Loads the rows in view, and renders again when they are there. */
function useRowsInView<Row>(
  rows: Rows<Row>,
  { first, end }: VirtualWindow,
  onLoad: (() => void) | undefined,
) {
  const [, setRound] = useState(0);
  const [problem, setProblem] = useState<Problem>();
  const again = () => {
    setRound((before) => before + 1);
    onLoad?.();
  };
  useEffect(() => {
    if (problem !== undefined) return;
    const ending = new AbortController();
    const { signal } = ending;
    rows.want(first, end, signal).then(
      () => signal.aborted || again(),
      (error: unknown) => signal.aborted || setProblem(problemOf(error, navigator.onLine)),
    );
    return () => ending.abort();
  }, [rows, first, end, problem]);
  const retry = () => setProblem(undefined);
  return { problem, retry };
}

/** Scrolls to the place where the reader was, or to the row that is shown first. */
function useRestoredScroll<Row>(
  scroller: { readonly current: HTMLDivElement | null },
  { rows, startRow = 0, isFirst = true }: TableProps<Row>,
): void {
  const [, setLoaded] = useState(0);
  useEffect(() => {
    const saved = isFirst ? savedRow() : undefined;
    const row = saved ?? startRow;
    if (row === 0) return;
    const viewPx = scroller.current?.clientHeight ?? 0;
    const scroll = () => {
      // The reader has scrolled to another place meanwhile.
      if (isFirst && savedRow() !== saved) return;
      scroller.current?.scrollTo({
        top: offsetOf(row, { rows: rows.count, rowPx: ROW_PX, viewPx }),
      });
    };
    const ending = new AbortController();
    const { signal } = ending;
    const first = Math.floor(row);
    rows.want(first, first + Math.ceil(viewPx / ROW_PX) + 1, signal).then(
      () => {
        if (signal.aborted) return;
        // Only a list that is rendered with its new rows is as high as to scroll there.
        setLoaded(rows.count);
        requestAnimationFrame(scroll);
      },
      () => undefined,
    );
    return () => ending.abort();
  }, [rows]);
}
