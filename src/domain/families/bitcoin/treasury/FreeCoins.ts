/**
 * The coins of the solver's pool that no payment claims: those in blocks, and the change of payments that wait
 * (BITCOIN-10). Pure.
 */
import type { BtcOutpoint } from "../evidence/BtcTransaction.ts"
import { sameBytes } from "../evidence/SpentCoins.ts"
import type { Coin } from "../spending/FundOutputs.ts"
import type { PaymentForm, StoredForm } from "./PaymentForm.ts"
import type { Cluster, PoolCoin } from "./PoolCoins.ts"

/** The name under which a coin is claimed. */
export const coinName = ({ index, transactionId }: BtcOutpoint): string => `${transactionId}:${index}`

/** The cluster of each transaction. What needs an output of another is its relative. */
const clustersOf = (forms: ReadonlyMap<string, PaymentForm>): ReadonlyMap<string, Cluster> => {
  const parents = new Map([...forms.keys()].map((id) => [id, id]))
  const rootOf = (id: string): string => {
    let root = id
    for (let next = parents.get(root); next !== undefined && next !== root; next = parents.get(root)) root = next
    return root
  }
  for (const { id, inputs } of forms.values()) {
    for (const { transactionId } of inputs) if (forms.has(transactionId)) parents.set(rootOf(transactionId), rootOf(id))
  }
  const members = Map.groupBy(forms.keys(), rootOf)
  return new Map(
    [...members].flatMap(([name, ids]) => ids.map((id) => [id, { name, transactions: ids.length }] as const))
  )
}

/** What is known of the account's coins at one moment. */
export interface KnownCoins {
  /** In blocks. */
  readonly confirmed: ReadonlyArray<Coin>
  /** The payments that wait, each in its newest form. */
  readonly waiting: ReadonlyArray<StoredForm>
  /** By name. */
  readonly claimed: ReadonlySet<string>
  /** The solver's own. */
  readonly script: Uint8Array
}

export const freeCoins = ({ claimed, confirmed, script, waiting }: KnownCoins): ReadonlyArray<PoolCoin> => {
  const inBlocks = new Set(confirmed.map(coinName))
  const forms = new Map(waiting.flatMap(({ ancestors, form }) => [form, ...ancestors]).map((form) => [form.id, form]))
  const clusters = clustersOf(forms)
  const change = waiting.flatMap(({ form: { id, outputs } }) =>
    outputs.flatMap((output, index): ReadonlyArray<PoolCoin> =>
      sameBytes(output.script, script)
        ? [{ transactionId: id, index, amount: output.amount, cluster: clusters.get(id) }]
        : []
    )
  )
  return [
    ...confirmed.map(({ amount, index, transactionId }) => ({ transactionId, index, amount, cluster: undefined })),
    ...change.filter((coin) => !inBlocks.has(coinName(coin)))
  ].filter((coin) => !claimed.has(coinName(coin)))
}

/** The transactions that these coins need and that wait, each after those that it needs. */
export const ancestorsOf = (
  coins: ReadonlyArray<PoolCoin>,
  waiting: ReadonlyArray<StoredForm>
): ReadonlyArray<PaymentForm> => {
  const makers = coins.filter(({ cluster }) => cluster !== undefined).map(({ transactionId }) => transactionId)
  const needed = waiting.filter(({ form }) => makers.includes(form.id)).flatMap(({ ancestors, form }) => [
    ...ancestors,
    form
  ])
  return [...new Map(needed.map((form) => [form.id, form])).values()]
}
