/**
 * One withdrawal of a hub balance from beginning to end, with the part of each party in turn. The owner initiates it,
 * the allocator issues it, and anyone executes it on its chain and submits the oracle's attestation. Uses HTTP and the
 * chains' nodes.
 */
import { Effect, Result } from "effect"
import { randomBytes } from "node:crypto"
import type { Hex } from "viem"
import { hexToBytes, toHex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { protocolFamily } from "../../../../src/domain/chain/ProtocolFamily.ts"
import { ChainSlug } from "../../../../src/domain/chain/ChainId.ts"
import { alias } from "../../../../src/domain/hub/Alias.ts"
import type { ChainRef } from "../../../../src/domain/hub/ChainRef.ts"
import { hubTokenId } from "../../../../src/domain/hub/HubTokenId.ts"
import { initiationHash } from "../../../../src/domain/hub/withdrawal/WithdrawalInitiation.ts"
import { amountText } from "../demo/DemoChain.ts"
import { attest, InitiatedAnswer, InitiationAnswer, WithdrawalAnswer } from "../demo/OracleApi.ts"
import type { OracleAccess } from "../demo/OracleApi.ts"
import type { HubAccess } from "../demo/Settlement.ts"
import { hubBalance } from "../demo/Wallet.ts"
import { LocalnetError } from "../../run/LocalnetError.ts"
import type { Screen } from "../../../cli/Screen.ts"
import { issue } from "./Allocator.ts"
import { submit } from "./Submit.ts"
import type { Account, Draft, Parties, Wanted, WithdrawalChain } from "./WithdrawalChain.ts"

export interface WithdrawalPlan extends Parties, Pick<Wanted, "end" | "recipient"> {
  readonly oracle: OracleAccess
  readonly hub: HubAccess
  readonly chain: WithdrawalChain
  /** The owner of the balance, and the chain of its account. */
  readonly owner: Account & { readonly chain: string }
  /** Smallest units. Undefined: the owner's whole balance. */
  readonly amount: bigint | undefined
}

/** The owner's account on the hub, the token that represents the currency there, and the currency's canonical text. */
const onHub = ({ chain, owner }: WithdrawalPlan) =>
  Effect.orDie(Effect.fromResult(Result.gen(function*() {
    const { ref } = chain
    const currency = yield* ref.family.addresses(ref.network).parseCurrency(chain.currency.address)
    const home: ChainRef = { slug: ChainSlug.make(owner.chain), family: protocolFamily, network: "mainnet" }
    return { account: yield* alias(home, owner.address), currency, token: yield* hubTokenId(ref, currency) }
  })))

/** The claim as its owner signs it. */
const claimOf = ({ chain, hub, owner, recipient }: WithdrawalPlan, currency: string, amount: bigint) => ({
  settlementChainId: hub.id,
  expectedAmount: amount.toString(),
  chainId: chain.id,
  currency,
  withdrawer: owner.address,
  withdrawerChainId: owner.chain,
  recipient,
  withdrawalNonce: toHex(randomBytes(32))
})
type Claim = ReturnType<typeof claimOf>

const signatureOf = ({ owner }: WithdrawalPlan, claim: Claim) => {
  const hash = initiationHash({
    settlementChainId: claim.settlementChainId,
    chainId: claim.chainId,
    currency: claim.currency,
    amount: claim.expectedAmount,
    ownerChainId: claim.withdrawerChainId,
    owner: claim.withdrawer,
    recipient: claim.recipient,
    nonce: claim.withdrawalNonce
  })
  return Effect.promise(() => privateKeyToAccount(owner.privateKey).signMessage({ message: { raw: hexToBytes(hash) } }))
}

/**
 * Moves the amount from the owner to a hub account that only this withdrawal can empty. Returns that account, and the
 * block of the move.
 */
const initiate = Effect.fnUntraced(function*({ hub, oracle, submitter }: WithdrawalPlan, claim: Claim, signature: Hex) {
  const { execution, message } = yield* attest(
    oracle,
    "withdrawal-initiation",
    { ...claim, signature },
    InitiationAnswer
  )
  const block = yield* submit(hub, submitter.privateKey, execution)
  // The proof that the allocator requires before it issues a withdrawal.
  const initiated = yield* attest(oracle, "withdrawal-initiated", claim, InitiatedAnswer)
  if (initiated.message.result.withdrawalAddress !== message.result.withdrawalAddress) {
    return yield* new LocalnetError({ message: "the oracle names two accounts for one withdrawal" })
  }
  return { withdrawalAddress: message.result.withdrawalAddress, block }
})

/** Has the oracle attest the end, and executes that on the hub. */
const conclude = Effect.fnUntraced(
  function*(
    { chain, end, hub, oracle, submitter }: WithdrawalPlan,
    claim: Claim,
    { encoded }: Draft,
    issuance: Hex
  ) {
    const { currency, recipient, withdrawalNonce, withdrawer, withdrawerChainId } = claim
    const withdrawalAddressRequest = {
      chainId: chain.id,
      currency,
      withdrawer,
      withdrawerChainId,
      recipient,
      withdrawalNonce,
      issuance
    }
    const body = { chainId: chain.id, withdrawal: encoded, withdrawalAddressRequest }
    const { execution, message } = yield* attest(
      oracle,
      "depository-withdrawals",
      body,
      WithdrawalAnswer,
      ({ message: { result } }) => result.status !== 0
    )
    const status = message.result.status === 1 ? "executed" : "expired"
    if (status !== end || execution === undefined) {
      return yield* new LocalnetError({ message: `the oracle says that the withdrawal is ${status}` })
    }
    return { oracle: message.signature.oracle, block: yield* submit(hub, submitter.privateKey, execution) }
  }
)

/**
 * Runs the withdrawal and prints it. Errors: no such balance, anything that keeps it from its end, or any unit too many
 * or too few.
 */
export const run = Effect.fn("Withdraw.run")(function*(plan: WithdrawalPlan, screen: Screen) {
  const { allocator, chain, end, hub, owner, recipient } = plan
  const { account, currency, token } = yield* onHub(plan)
  const show = (units: bigint) => amountText(units, chain.currency)
  const heldBy = (of: string, block?: bigint) =>
    hubBalance(hub, hub.hubAddress, toHex(BigInt(of), { size: 20 }), token, block)
  /** The account's change in one block: other blocks of a running network may move the owner's money too. */
  const changeIn = (of: string, block: bigint) =>
    Effect.map(Effect.all([heldBy(of, block - 1n), heldBy(of, block)]), ([before, after]) => after - before)
  const due = (what: string, changed: bigint, expected: bigint) =>
    changed === expected
      ? Effect.void
      : Effect.fail(
        new LocalnetError({ message: `${what} should have changed by ${show(expected)}, but did by ${show(changed)}` })
      )

  const before = yield* heldBy(account)
  const amount = plan.amount ?? before
  yield* screen.line(`  hub       ${owner.address} of ${owner.chain} has ${show(before)} of ${chain.id} there`)
  if (before < amount || amount === 0n) {
    return yield* new LocalnetError({
      message:
        `${owner.address} of ${owner.chain} has ${show(before)} of ${chain.id} on the hub${
          amount === 0n ? "" : `, less than ${show(amount)}`
        }: ` +
        `what npm run demo -- --from ${chain.id} --currency ${chain.currency.symbol} moves is the solver's there once it is settled`
    })
  }
  const claim = claimOf(plan, currency, amount)
  const { block: begun, withdrawalAddress } = yield* initiate(plan, claim, yield* signatureOf(plan, claim))
  yield* due("the owner's balance on the hub", yield* changeIn(account, begun), -amount)
  yield* screen.line(
    `  initiated ${show(amount)} wait on ${withdrawalAddress}; ${show(yield* heldBy(account))} are left of the owner's`
  )

  const draft = yield* (yield* chain.drafting(plan))({ recipient, amount, nonce: BigInt(claim.withdrawalNonce), end })
  const issuance = yield* issue(allocator.privateKey, hub, withdrawalAddress, draft)
  yield* screen.line(`  issued    by the allocator ${allocator.address}: withdrawal ${draft.id}`)
  if (end === "executed") {
    const { arrived, transaction } = yield* draft.execute
    yield* due(`the balance of ${recipient}`, arrived, draft.pays)
    yield* screen.line(
      `  executed  ${show(arrived)} arrived at ${recipient} on ${chain.id}${
        draft.pays === amount ? "" : `, less the chain's fee of ${show(amount - draft.pays)}`
      }, ${screen.dim(transaction)}`
    )
  } else yield* screen.line("  nobody executes it")

  const { block: ended, oracle } = yield* conclude(plan, claim, draft, issuance)
  yield* due("the balance of the withdrawal's account", yield* changeIn(withdrawalAddress, ended), -draft.pays)
  yield* due("the owner's balance on the hub", yield* changeIn(account, ended), end === "executed" ? 0n : amount)
  const [left, after] = yield* Effect.all([heldBy(withdrawalAddress), heldBy(account)])
  yield* screen.line(
    `  attested  as ${end} by oracle ${oracle}; ${end === "executed" ? "burnt" : "given back"} on the hub`
  )
  yield* screen.line(`  hub       ${owner.address} has ${show(after)}, the withdrawal's account ${show(left)}`)
  return { amount, account: withdrawalAddress, left: after }
})
