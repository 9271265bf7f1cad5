/** Compares what history and page show of transfers from and to Solana with the chains themselves. */
import { assert } from "@effect/vitest"
import { createSolanaRpc, isSignature } from "@solana/kit"
import { Effect, Schema } from "effect"
import { solanaChainId } from "../../../../localnet/nodes/solana/SolanaChain.ts"
import { get } from "../../../testing/Get.ts"
import type { SolanaBegun, SolanaNetwork } from "./SolanaScenarios.ts"

const Row = Schema.Struct({
  hash: Schema.String,
  chainId: Schema.Int,
  block: Schema.NullOr(Schema.Int),
  timestamp: Schema.NullOr(Schema.Int),
  fee: Schema.NullOr(Schema.String)
})
type Row = typeof Row.Type

const Listed = Schema.Struct({
  requests: Schema.Array(
    Schema.Struct({
      id: Schema.String,
      user: Schema.String,
      recipient: Schema.String,
      data: Schema.Struct({ inTxs: Schema.Array(Row), outTxs: Schema.Array(Row) })
    })
  )
})

const listed = (url: string, query: string) =>
  get(`${url}/requests?${query}`).pipe(
    Effect.flatMap((answer) => Schema.decodeUnknownEffect(Listed)(answer.json())),
    Effect.orDie
  )

/** The row according to the chain. `paid`: whether we paid its fee. Otherwise the history has none. */
const shownBy = ({ solana }: SolanaNetwork, { hash }: Row, paid: boolean) =>
  Effect.promise(async (): Promise<Row> => {
    if (!isSignature(hash)) throw new Error(`${hash} is no signature`)
    const found = await createSolanaRpc(solana.url).getTransaction(hash, {
      encoding: "base64",
      maxSupportedTransactionVersion: 0
    }).send()
    if (found === null) throw new Error(`the chain does not have ${hash}`)
    return {
      hash,
      chainId: solanaChainId,
      block: Number(found.slot),
      timestamp: Number(found.blockTime),
      fee: paid ? `${found.meta?.fee ?? ""}` : null
    }
  })

/**
 * Each has one incoming and one outgoing transaction. Those on Solana have signature, slot, time and fee, are found by
 * signature, and are named on the page.
 */
export const assertToldAsItWas = Effect.fnUntraced(
  function*(url: string, network: SolanaNetwork, begun: ReadonlyArray<SolanaBegun>) {
    for (const each of begun) {
      const id = each.quoted.steps[0]?.requestId ?? ""
      const [request] = (yield* listed(url, `id=${id}`)).requests
      if (request === undefined) return assert.fail(`${id} is not in the history`)
      const { inTxs, outTxs } = request.data
      assert.deepStrictEqual([inTxs.length, outTxs.length], [1, 1], `${each.scenario} ${id}`)
      const own = [...inTxs.map((row) => ({ row, paid: false })), ...outTxs.map((row) => ({ row, paid: true }))].filter(
        ({ row }) => row.chainId === solanaChainId
      )
      assert.lengthOf(own, each.scenario === "returned" ? 2 : 1, `${each.scenario} ${id}`)
      const page = yield* get(`${url}/requests/${id}`, { headers: { accept: "text/html" } })
      // Ids are marked up in two pieces, so that a narrow screen can cut them.
      const shown = page.text.replaceAll(/<[^>]*>/gu, "")
      for (const { paid, row } of own) {
        assert.deepStrictEqual(row, yield* shownBy(network, row, paid), `${each.scenario} ${id}`)
        assert.deepStrictEqual((yield* listed(url, `txHash=${row.hash}`)).requests.map((found) => found.id), [id])
        assert.include(shown, row.hash)
      }
    }
  }
)
