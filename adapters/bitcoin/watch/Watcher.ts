/**
 * Deposits of a Bitcoin chain (BITCOIN-8). A scan reads each block after the cursor, by the bytes of the block alone,
 * so it needs no index of addresses; a deposit's own transaction is then read like evidence. Rechecks read the
 * transaction by its id.
 *
 * SECURITY: only blocks count. Every transaction that waits can be replaced, whatever it signals, so none is a deposit.
 */
import { Effect, Layer, Result } from "effect"
import { DepositWatcher } from "../../../ports/chain/DepositWatcher.ts"
import type { Cursor, Scan, Standing } from "../../../ports/chain/DepositWatcher.ts"
import type { ReadBy } from "../../../ports/chain/ReadBy.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { scriptOfAddress } from "../../../src/domain/families/bitcoin/BitcoinScript.ts"
import { sameBytes } from "../../../src/domain/families/bitcoin/evidence/SpentCoins.ts"
import type { FinalityNow } from "../../../src/domain/chain/FinalityNow.ts"
import type { Deposit } from "../../../src/domain/transfer/deposit/Deposit.ts"
import { depositRead } from "../../endpoints/DepositRead.ts"
import { readHeads } from "../../endpoints/ReadHeads.ts"
import { readFinality } from "../../endpoints/ReadFinality.ts"
import { scanFinal } from "../../endpoints/ScanFinal.ts"
import { BitcoinRpc } from "../rpc/BitcoinRpc.ts"
import type { BitcoinClient, BitcoinRead } from "../rpc/BitcoinRpc.ts"
import { readHashAt, readHead, readHolds } from "./Blocks.ts"
import { depositsIn, readDeposits } from "./Deposits.ts"
import { findInBlock, Remembered } from "./FindInBlock.ts"
import { scanBlocks, scanFinalBlocks } from "./ScanBlocks.ts"

const depositsAt = (chain: Chain, remembered: Remembered<Deposit>) => {
  const depository = scriptOfAddress(chain.depository, chain.network)
  return findInBlock(chain, {
    isWanted: (script) => Result.isSuccess(depository) && sameBytes(script, depository.success),
    find: (transaction, block) => depositsIn(chain, transaction, block),
    remembered
  })
}

const scanFrom =
  (chain: Chain, cursor: Cursor, remembered: Remembered<Deposit>): BitcoinRead<Scan> => (rpc, deadline) =>
    Effect.map(
      scanBlocks(chain, cursor, depositsAt(chain, remembered))(rpc, deadline),
      ({ cursor: last, found, head }) => ({ cursor: last, head, deposits: found })
    )

const standingOf = (chain: Chain, deposit: Deposit): BitcoinRead<Standing> =>
  Effect.fnUntraced(function*(rpc, deadline) {
    // The head first: what the node shows afterwards is at least as new.
    const head = yield* readHead(rpc, chain, deadline)
    const deposits = yield* readDeposits(rpc, chain, deposit.transactionId, deadline)
    if (deposits !== undefined) {
      const found = deposits.find(({ onchainId }) => onchainId === deposit.onchainId)
      if (found === undefined) return { _tag: "Gone" }
      const { block } = found
      const confirmations = head.height >= block.height ? Number(head.height - block.height) + 1 : 1
      return { _tag: "Included", block, confirmations, final: block.height <= head.finalHeight, deposits }
    }
    // Gone only when its block is no longer the chain's, or never held it. A node that is behind does not know.
    const { hash, height } = deposit.block
    const now = yield* readHashAt(rpc, head, height, deadline)
    if (now === undefined) return yield* Effect.fail("behind" as const)
    const isHeld = now === hash && (yield* readHolds(rpc, hash, deposit.transactionId, deadline))
    return isHeld ? yield* Effect.fail("behind" as const) : { _tag: "Gone" }
  })

const finalityAt = (chain: Chain, height: bigint | undefined): BitcoinRead<FinalityNow> =>
  Effect.fnUntraced(function*(rpc, deadline) {
    const head = yield* readHead(rpc, chain, deadline)
    const hashAt = (at: bigint) => readHashAt(rpc, head, at, deadline)
    const found = height === undefined ? undefined : yield* hashAt(height)
    const newest = head.finalHeight < 0n ? undefined : yield* hashAt(head.finalHeight)
    return { found, newest: newest === undefined ? undefined : { height: head.finalHeight, hash: newest } }
  })

export const layer = Layer.effect(
  DepositWatcher,
  Effect.gen(function*() {
    const rpc = yield* BitcoinRpc
    // SECURITY: a look at final blocks takes nothing from a scan. What a node showed to that, it might not show any more.
    const [byScans, byLooks] = [new Remembered<Deposit>(), new Remembered<Deposit>()]
    const read = <A>(chain: Chain, operation: string, of: BitcoinRead<A>) =>
      rpc.call(chain, operation, (client) => client.read(of))

    return DepositWatcher.of({
      head: (chain) =>
        read(
          chain,
          "head",
          (core, deadline) =>
            Effect.map(readHead(core, chain, deadline), ({ hash, height, time }) => ({ hash, height, time }))
        ),
      heads: (chain, by) =>
        readHeads(rpc, chain, by, (client) =>
          client.read((core, deadline) =>
            Effect.map(
              readHead(core, chain, deadline),
              ({ finalHeight, hash, height }) => ({ finalHeight, hash, height })
            )
          )),
      scan: (chain, cursor) => read(chain, "deposit scan", scanFrom(chain, cursor, byScans)),
      scanFinal: (chain, from, final) =>
        scanFinal(
          rpc,
          chain,
          final,
          (client) => client.read(scanFinalBlocks(chain, from, final, depositsAt(chain, byLooks)))
        ),
      look: (chain, id) =>
        read(chain, "deposits of a transaction", (core, deadline) => readDeposits(core, chain, id, deadline)),
      standing: (chain: Chain, deposit: Deposit, by: ReadBy) =>
        rpc.witnessed(chain, depositRead((client: BitcoinClient) => client.read(standingOf(chain, deposit))), by),
      finality: (chain, remembered, asked) =>
        readFinality(rpc, chain, remembered, asked, (client, height) => client.read(finalityAt(chain, height)))
    })
  })
)
