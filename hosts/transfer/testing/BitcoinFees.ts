/** What a local Bitcoin chain asks for the next blocks. */
import { Effect } from "effect"
import type { Bitcoin } from "../../localnet/nodes/bitcoin/Bitcoin.ts"

/** Of the local network, satoshi a virtual byte. */
export const USUAL_RATE = 2

/** Node and explorer estimate this rate, satoshi a virtual byte. */
export const estimating = ({ setExplorerFault, setFault }: Bitcoin, rate: number) =>
  Effect.all([
    setFault({
      kind: "lie",
      methods: ["estimatesmartfee"],
      tell: () => ({ feerate: rate / 100_000, blocks: 3 })
    }),
    setExplorerFault({ kind: "lie", methods: ["/fee-estimates"], tell: () => ({ 1: rate, 6: rate }) })
  ], { discard: true })
