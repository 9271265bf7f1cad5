/**
 * What a read rejects with where too much was asked: its endpoint said so, or was not asked, because its budget had no
 * room. No answer of the chain was read, so that its chain needs no new check.
 *
 * SECURITY: if it were checked again each time, strangers whose reads are not made would use up what is left for
 * everything else (EXCHANGEA-11).
 */
export class NotAsked extends Error {
  constructor() {
    super("over-quota")
  }
}
