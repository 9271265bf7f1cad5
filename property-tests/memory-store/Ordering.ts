/** Orders rows as a statement does: by the first value that differs. */

type Sortable = string | number | bigint

/** Compares by these values, the smaller first. */
export const ascending = <Row>(...of: ReadonlyArray<(row: Row) => Sortable>) => (one: Row, other: Row): number => {
  for (const value of of) {
    const [a, b] = [value(one), value(other)]
    if (a < b) return -1
    if (a > b) return 1
  }
  return 0
}

/** Compares by these values, the greater first. */
export const descending = <Row>(...of: ReadonlyArray<(row: Row) => Sortable>) => {
  const compare = ascending(...of)
  return (one: Row, other: Row): number => compare(other, one)
}
