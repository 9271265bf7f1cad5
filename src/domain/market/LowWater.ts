/**
 * Low-water marks of the solver's inventory: below one somebody has to send money, and is told once for each crossing.
 */

export interface Reading {
  /** Names a holding of one currency on one chain. */
  readonly holding: string
  /** Smallest units. */
  readonly amount: bigint
  readonly mark: bigint
}

/** True below the mark; at the mark it is enough. */
export const isLow = ({ amount, mark }: Pick<Reading, "amount" | "mark">): boolean => amount < mark

export interface Crossings<A> {
  /** Those that are low now. */
  readonly low: ReadonlySet<string>
  /** Those that were not low before. */
  readonly fallen: ReadonlyArray<A>
  /** Those that were low, and are not any more. */
  readonly risen: ReadonlyArray<A>
}

/** What has crossed its mark since it was looked at last; what could not be read stays what it was. */
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
