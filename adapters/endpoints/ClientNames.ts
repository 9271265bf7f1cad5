/**
 * Numbers clients, for keys of caches: what one endpoint has said is not taken for the word of another. SECURITY: every
 * voice of a quorum is the endpoint's own.
 */
export class ClientNames<Client extends object> {
  private readonly names = new WeakMap<Client, number>()
  private named = 0

  nameOf(client: Client): number {
    const known = this.names.get(client)
    if (known !== undefined) return known
    this.named += 1
    this.names.set(client, this.named)
    return this.named
  }
}
