/**
 * Which hosts do not show what another one shows. That proves nothing yet: what one host shows alone may be invented. The
 * quorum says which of the two it is.
 */

/** What one host shows of a range of blocks. */
export interface ShownByHost {
  readonly host: string
  /** The height up to which the host has been read. */
  readonly upTo: bigint
  /** The height of each item, by its name. */
  readonly items: ReadonlyMap<string, bigint>
}

/** By each item's name, the hosts that were read beyond the item and do not show it. Items that all show have none. */
export const notShownBy = (shown: ReadonlyArray<ShownByHost>): ReadonlyMap<string, ReadonlyArray<string>> => {
  const heights = new Map(shown.flatMap(({ items }) => [...items]))
  return new Map(
    [...heights].flatMap(([name, height]) => {
      const hosts = shown.flatMap(({ host, items, upTo }) => upTo >= height && !items.has(name) ? [host] : [])
      return hosts.length === 0 ? [] : [[name, hosts] as const]
    })
  )
}
