/**
 * Which answers a quorum of hosts gives to one list of questions: what at least `needed` of them say, word for word.
 * Each host has one voice; undefined while there is no such list. Not for facts that change from block to block.
 */
export interface HostSays {
  readonly host: string
  readonly said: ReadonlyArray<string>
}

export const agreeOnTexts = (answers: ReadonlyArray<HostSays>, needed: number): ReadonlyArray<string> | undefined => {
  const groups = Map.groupBy(answers, ({ said }) => JSON.stringify(said))
  const agreed = [...groups.values()].find((group) => new Set(group.map(({ host }) => host)).size >= needed)
  return agreed?.[0]?.said
}
