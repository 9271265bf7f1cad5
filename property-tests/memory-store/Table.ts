/**
 * A table in memory: rows by their key, and lookups by what a row says. Rows are values that are replaced, never
 * changed, so a write is undone by putting the former row back.
 */

/** Undoes one write. */
export type Undo = () => void

/** The writes of the open transaction, oldest first. */
export type Journal = Array<Undo>

/**
 * A write that a constraint forbids: a unique key again, or the name of a row that is not there. Whoever writes gets
 * `StoreUnavailable`, as from a database.
 */
export class WriteRefused extends Error {
  override readonly name = "WriteRefused"
}

/** The rows for which `of` gives this key. */
export type Lookup<Row> = (key: string) => ReadonlyArray<Row>

/** Rows by their key. */
export interface Table<Row> {
  readonly get: (key: string) => Row | undefined
  readonly has: (key: string) => boolean
  readonly all: () => ReadonlyArray<Row>
  /** Adds the row, or replaces the one with this key. */
  readonly set: (key: string, row: Row) => void
  /** Adds the row. Throws `WriteRefused` when there is one with this key. */
  readonly add: (key: string, row: Row) => void
  /** Changes the row, if there is one; returns the new one. */
  readonly change: (key: string, by: (row: Row) => Row) => Row | undefined
  /** False when there is no such row. */
  readonly remove: (key: string) => boolean
  /** A lookup that every write keeps. Rows for which `of` gives undefined are not in it. */
  readonly lookup: (of: (row: Row) => string | undefined) => Lookup<Row>
  /** Keeps the rows as they are now. What is returned puts them back, beside all transactions. */
  readonly keep: () => () => void
  /** Called after each write, in its transaction, as a trigger. What is taken back is not told. */
  readonly watch: (written: (before: Row | undefined, after: Row | undefined) => void) => void
}

interface Index<Row> {
  readonly of: (row: Row) => string | undefined
  readonly rows: Map<string, Map<string, Row>>
}

const none: ReadonlyArray<never> = []

const insert = <Row>({ of, rows }: Index<Row>, key: string, row: Row): void => {
  const place = of(row)
  if (place === undefined) return
  const there = rows.get(place)
  if (there === undefined) rows.set(place, new Map([[key, row]]))
  else there.set(key, row)
}

const discard = <Row>({ of, rows }: Index<Row>, key: string, row: Row): void => {
  const place = of(row)
  if (place === undefined) return
  const there = rows.get(place)
  there?.delete(key)
  if (there?.size === 0) rows.delete(place)
}

/** An empty table, whose writes are noted in the journal. */
export const makeTable = <Row>(journal: Journal): Table<Row> => {
  const rows = new Map<string, Row>()
  const indexes: Array<Index<Row>> = []
  const watchers: Array<(before: Row | undefined, after: Row | undefined) => void> = []

  const put = (key: string, row: Row | undefined): void => {
    const before = rows.get(key)
    if (before !== undefined) { for (const index of indexes) discard(index, key, before) }
    if (row === undefined) rows.delete(key)
    else {
      rows.set(key, row)
      for (const index of indexes) insert(index, key, row)
    }
  }

  const write = (key: string, row: Row | undefined): void => {
    const before = rows.get(key)
    put(key, row)
    journal.push(() => put(key, before))
    for (const written of watchers) written(before, row)
  }

  return {
    get: (key) => rows.get(key),
    has: (key) => rows.has(key),
    all: () => [...rows.values()],
    set: write,
    add: (key, row) => {
      if (rows.has(key)) throw new WriteRefused(`there is a row ${key} already`)
      write(key, row)
    },
    change: (key, by) => {
      const before = rows.get(key)
      if (before === undefined) return undefined
      const after = by(before)
      write(key, after)
      return after
    },
    remove: (key) => {
      if (!rows.has(key)) return false
      write(key, undefined)
      return true
    },
    lookup: (of) => {
      const index: Index<Row> = { of, rows: new Map() }
      indexes.push(index)
      for (const [key, row] of rows) insert(index, key, row)
      return (key) => {
        const there = index.rows.get(key)
        return there === undefined ? none : [...there.values()]
      }
    },
    keep: () => {
      const kept = [...rows]
      return () => {
        for (const key of [...rows.keys()]) put(key, undefined)
        for (const [key, row] of kept) put(key, row)
      }
    },
    watch: (written) => void watchers.push(written)
  }
}
