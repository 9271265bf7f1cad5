/** The facts of a world as transactions of solana-vm, shown by a node. */
import { Effect, Layer } from "effect"
import { layer as observerLayer, SolanaQuorums } from "../../../../../adapters/solana/observe/Observer.ts"
import { hexToBytes } from "../../../../../src/domain/encoding/Hex.ts"
import { programs, tokenAccountOf, vaultOf } from "../../../../../src/domain/families/solana/evidence/Programs.ts"
import type { DepositEvidence, TransactionEvidence } from "../../../../../src/domain/evidence/TransactionEvidence.ts"
import type { FamilyUnderTest } from "./NegativeFamily.ts"
import { FINALIZED, solanaNode, u64 } from "./SolanaWire.ts"
import type { WireInstruction, WireTokens, WireTransaction } from "./SolanaWire.ts"
import { chainsOf, noObservations, observedAt, showing } from "./Observed.ts"

const NATIVE = programs.system
/** Copied from the pinned protocol, not computed: vectors/settlement.json. */
const depositNative = [13, 158, 13, 223, 95, 213, 28, 6]
const depositToken = [11, 156, 96, 218, 39, 163, 180, 19]

const some = (address: string | undefined): string => address ?? programs.system

interface Into {
  readonly instruction: WireInstruction
  readonly account: string
  readonly owner: string
}

const ofDeposit = ({ amount, currency, depositId, depositor, depository }: DepositEvidence): Into => {
  const vault = some(vaultOf(depository))
  const arguments_ = [...u64(amount), ...hexToBytes(depositId)]
  if (currency === NATIVE) {
    const accounts = [depository, depositor, depositor, vault, programs.system]
    return {
      instruction: { program: depository, accounts, data: Uint8Array.of(...depositNative, ...arguments_) },
      account: vault,
      owner: vault
    }
  }
  const account = some(tokenAccountOf(vault, currency, programs.token))
  const accounts = [
    depository,
    depositor,
    depositor,
    vault,
    currency,
    some(tokenAccountOf(depositor, currency, programs.token)),
    account,
    programs.token,
    programs.associatedToken,
    programs.system
  ]
  return {
    instruction: { program: depository, accounts, data: Uint8Array.of(...depositToken, ...arguments_) },
    account,
    owner: vault
  }
}

const nothing: WireInstruction = { program: programs.computeBudget, accounts: [], data: Uint8Array.of(2, 0, 0, 0, 0) }

/** The deposits at their indexes, then a memo for each order. */
const instructionsOf = ({ deposits, orderIds }: TransactionEvidence): ReadonlyArray<WireInstruction> => {
  const placed = new Map(deposits.map((deposit) => [deposit.index, ofDeposit(deposit).instruction]))
  const last = Math.max(-1, ...placed.keys())
  return [
    ...Array.from({ length: last + 1 }, (_, index) => placed.get(index) ?? nothing),
    ...orderIds.map((id) => ({ program: programs.memo, accounts: [], data: new TextEncoder().encode(id) }))
  ]
}

const transactionOf = (evidence: TransactionEvidence, at: number): WireTransaction => {
  const lamports = new Map<string, bigint>()
  const tokens = new Map<string, WireTokens>()
  const receive = (account: string, owner: string, currency: string, amount: bigint) => {
    if (currency === NATIVE) return void lamports.set(account, (lamports.get(account) ?? 0n) + amount)
    tokens.set(account, {
      account,
      mint: currency,
      owner,
      before: 5n,
      after: (tokens.get(account)?.after ?? 5n) + amount
    })
  }
  for (const deposit of evidence.deposits) {
    const { account, owner } = ofDeposit(deposit)
    receive(account, owner, deposit.currency, deposit.amount)
  }
  for (const { amount, currency, recipient } of evidence.payments) {
    receive(
      currency === NATIVE ? recipient : some(tokenAccountOf(recipient, currency, programs.token)),
      recipient,
      currency,
      amount
    )
  }
  return {
    id: evidence.transactionId,
    slot: (evidence.finality._tag === "Final" ? 1_000 : FINALIZED + 1_000) + at,
    time: evidence.block.time,
    // A failed transaction keeps its balances here, which no real node shows. They must not count even so.
    failed: evidence.outcome !== "succeeded",
    instructions: instructionsOf(evidence),
    lamports: new Map([...lamports].map(([account, amount]) => [account, { before: 3n, after: 3n + amount }])),
    tokens: [...tokens.values()]
  }
}

/** Evidence of solana-vm at the wire. */
export const solanaFacts: FamilyUnderTest = {
  family: "solana-vm",
  // A node that does not know a transaction of its own cluster cannot say which other cluster has it.
  shownAs: { "wrong-chain": "not-found", unread: "not-found" },
  // Two instructions always have two different indexes.
  cannotShow: ["two deposits in one place"],
  open: (all) =>
    showing(
      noObservations,
      Effect.fnUntraced(function*(shown) {
        const chains = chainsOf(all, "solana-vm")
        const urlOf = yield* solanaNode(chains, (chain) => ({
          transactions: shown().flatMap((seen, at) =>
            seen._tag === "Transaction" && seen.chain === chain.slug ? [transactionOf(seen, at)] : []
          )
        }))
        return observerLayer.pipe(Layer.provide(Layer.succeed(SolanaQuorums, { of: observedAt(chains, urlOf) })))
      })
    )
}
