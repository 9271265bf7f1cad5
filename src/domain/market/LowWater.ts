/**
 * Low-water marks of the solver's inventory. Below a mark an operator must send money; each crossing is reported once.
 */

export interface Reading {
  /** Identifies a holding of one currency on one chain. */
  readonly holding: string
  /** Smallest units. */
  readonly amount: bigint
  readonly mark: bigint
}

/** True below the mark. At the mark there is enough. */
export const isLow = ({ amount, mark }: Pick<Reading, "amount" | "mark">): boolean => amount < mark

/** What changed between two readings of the inventory. */
export interface Crossings<A> {
  /** The holdings that are low now. */
  readonly low: ReadonlySet<string>
  /** Those that were not low before. */
  readonly fallen: ReadonlyArray<A>
  /** Those that were low and no longer are. */
  readonly risen: ReadonlyArray<A>
}

/** What has crossed its mark since the last reading. A holding that could not be read keeps its state. */
export const crossings = <A extends Reading>(before: ReadonlySet<string>, readings: ReadonlyArray<A>): Crossings<A> => {
  const fallen = readings.filter((reading) => isLow(reading) && !before.has(reading.holding))
  const risen = readings.filter((reading) => !isLow(reading) && before.has(reading.holding))
  const up = new Set(risen.map(({ holding }) => holding))
  return {
    low: new Set([...[...before].filter((each) => !up.has(each)), ...fallen.map(({ holding }) => holding)]),
    fallen,
    risen
  }
}
