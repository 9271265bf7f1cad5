/** One interface's view of the chain: up to the tip, or up to the solidified block. */
import type { Chain } from "../Chain.ts"
import type { Place, TronBlock } from "../Ledger.ts"

export class View {
  readonly chain: Chain
  private readonly onlySolid: boolean

  constructor(chain: Chain, onlySolid: boolean) {
    this.chain = chain
    this.onlySolid = onlySolid
  }

  get tip(): TronBlock {
    return this.onlySolid ? this.chain.ledger.solid : this.chain.ledger.tip
  }

  block(number: number): TronBlock | undefined {
    return number > this.tip.number ? undefined : this.chain.ledger.find(number)
  }

  byHash(id: string): TronBlock | undefined {
    const block = this.chain.ledger.byHash(id)
    return block === undefined || block.number > this.tip.number ? undefined : block
  }

  placeOf(txID: string): Place | undefined {
    const place = this.chain.ledger.placeOf(txID)
    return place === undefined || place.block.number > this.tip.number ? undefined : place
  }
}
