/**
 * The answers of a quorum of hosts to one list of questions: the list that at least `needed` of them give, word for
 * word. Each host has one vote. Undefined while there is no such list. Not for facts that change from block to block.
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
