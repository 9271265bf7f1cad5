/**
 * Withdrawals of every family in a valid world, the negative cases, and the laws of their judge (ORACLE-6, EVIDENCE-4).
 *
 * A family's own suite encodes `evidence` as its raw answers and decodes it again. `withdrawalCases` contain the
 * expected results.
 */
import { families } from "../src/domain/families/index.ts"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { Hex, type Hex32, hexFromBytes, hexToBytes } from "../src/domain/encoding/Hex.ts"
import { type VmFamily, vmFamilies } from "../src/domain/chain/VmFamily.ts"
import type {
  judgeWithdrawal,
  WithdrawalClaim,
  WithdrawalTerms
} from "../src/domain/evidence/withdrawal/JudgeWithdrawal.ts"
import type { RefusalReason } from "../src/domain/evidence/judges/Refusal.ts"
import { vaultOf } from "../src/domain/families/solana/evidence/Programs.ts"
import type { WithdrawalEvidence } from "../src/domain/evidence/withdrawal/WithdrawalEvidence.ts"
import type { WithdrawalRequest } from "../src/domain/evidence/withdrawal/WithdrawalRequest.ts"
import { decodeAction } from "../src/domain/hub/Action.ts"
import { alias } from "../src/domain/hub/Alias.ts"
import type { ChainRef } from "../src/domain/hub/ChainRef.ts"
import { issuanceHash } from "../src/domain/hub/Issuance.ts"
import {
  decodeWithdrawal,
  encodeWithdrawal,
  type Withdrawal,
  withdrawalId
} from "../src/domain/families/Withdrawals.ts"
import { withdrawalAddress } from "../src/domain/hub/withdrawal/WithdrawalAddress.ts"
import {
  account,
  chainOf,
  currency,
  hasTokens,
  slug,
  standInContext,
  standInSigner,
  transaction,
  unknownSlug,
  word
} from "./EvidenceChains.ts"
import { withAnotherLeaf } from "./EvidenceDamage.ts"
import { type Law, law, must } from "./Law.ts"

export interface WithdrawalWorld {
  readonly family: VmFamily
  readonly claim: WithdrawalClaim
  readonly request: WithdrawalRequest
  readonly terms: WithdrawalTerms
  readonly evidence: WithdrawalEvidence
}

/** When the withdrawals of a world expire, in families where they do. */
export const EXPIRATION = 1_750_000_000
const RECIPIENT = 33
const AMOUNT = 12_345_678n

const allocator = standInSigner(3)
const chain = (family: VmFamily): ChainRef => ({ slug: slug(family), family: families[family], network: "mainnet" })
const depository = (family: VmFamily) => chainOf(slug(family))?.depository ?? account(family, 0)

/** A PSBT that spends one coin and has one output to the recipient, written by hand. */
const psbt = (recipient: string, amount: bigint): Hex => {
  const amountBytes = hexToBytes(Hex.make(`0x${amount.toString(16).padStart(16, "0")}`)).toReversed()
  const transaction = [
    "02000000",
    "01",
    "ab".repeat(32),
    "00000000",
    "00",
    "ffffffff",
    "01",
    hexFromBytes(amountBytes).slice(2),
    "16",
    `0014${recipient}`,
    "00000000"
  ].join("")
  const size = (transaction.length / 2).toString(16).padStart(2, "0")
  return Hex.make(`0x70736274ff0100${size}${transaction}000000`)
}

const requestOf = (family: VmFamily): Withdrawal => {
  const evm = account("ethereum-vm", RECIPIENT)
  switch (family) {
    case "ethereum-vm":
    case "tron-vm":
      return {
        family,
        request: {
          calls: [{ to: evm, data: Hex.make("0x"), value: AMOUNT, allowFailure: false }],
          nonce: 1n,
          expiration: BigInt(EXPIRATION)
        }
      }
    case "solana-vm":
      return {
        family,
        request: {
          domain: word(1),
          recipient: account(family, RECIPIENT),
          token: undefined,
          amount: AMOUNT,
          nonce: 1n,
          expiration: BigInt(EXPIRATION),
          vault: vaultOf(depository(family)) ?? account(family, 0)
        }
      }
    case "bitcoin-vm":
      return Result.getOrThrow(decodeWithdrawal(family, psbt(evm.slice(2), AMOUNT)))
    case "exchangea-vm":
      return {
        family,
        request: {
          _tag: "UsdSend",
          hyperliquidChain: "Mainnet",
          destination: account(family, RECIPIENT),
          amount: "0.12345678",
          time: 1n
        }
      }
    case "exchangeb-vm":
      return {
        family,
        request: {
          nonce: 1n,
          fromAccountIndex: BigInt(depository(family)),
          fromRouteType: 0n,
          apiKeyIndex: 0n,
          toAccountIndex: BigInt(account(family, RECIPIENT)),
          toRouteType: 0n,
          assetIndex: 3n,
          amount: AMOUNT,
          usdcFee: 0n,
          lighterChainId: 304n,
          memo: word(0)
        }
      }
  }
}

const hub = {
  chainId: 616_100n,
  oracleContract: account("ethereum-vm", 44),
  allocator: allocator.account
}

/** The allocator's signature for a withdrawal and the request's account. */
const issuanceOf = (family: VmFamily, request: WithdrawalRequest, id: Hex32): Hex => {
  const address = withdrawalAddress(chain(family), {
    depository: depository(family),
    currency: request.currency,
    recipient: request.recipient,
    ownerAlias: Result.getOrThrow(alias(chain("ethereum-vm"), request.withdrawer)),
    nonce: request.withdrawalNonce
  })
  const { chainId: hubChainId, oracleContract } = hub
  return allocator.sign(Result.getOrThrow(
    issuanceHash({ hubChainId, oracleContract, withdrawalAddress: Result.getOrThrow(address), withdrawalId: id })
  ))
}

/**
 * The same withdrawal from another vault, in claim and evidence. Only Solana has vaults; other families are unchanged.
 */
const fromAnotherVault = (world: WithdrawalWorld): WithdrawalWorld => {
  const decoded = Result.getOrThrow(decodeWithdrawal(world.family, world.claim.withdrawal))
  if (decoded.family !== "solana-vm") return world
  const moved: Withdrawal = { ...decoded, request: { ...decoded.request, vault: account(decoded.family, 45) } }
  const encoded = Result.getOrThrow(encodeWithdrawal(moved))
  const evidence = { ...world.evidence, withdrawal: encoded, withdrawalId: Result.getOrThrow(withdrawalId(moved)) }
  return { ...world, claim: { ...world.claim, withdrawal: encoded, withdrawalAddressRequest: undefined }, evidence }
}

/** A withdrawal that was executed and issued, claimed with the transaction that executed it. */
export const makeWithdrawalWorld = (family: VmFamily): WithdrawalWorld => {
  const withdrawal = requestOf(family)
  const encoded = Result.getOrThrow(encodeWithdrawal(withdrawal))
  const id = Result.getOrThrow(withdrawalId(withdrawal))
  const bare: WithdrawalRequest = {
    chainId: slug(family),
    currency: currency(family, 0),
    withdrawer: account("ethereum-vm", 11),
    withdrawerChainId: slug("ethereum-vm"),
    recipient: account(family, RECIPIENT),
    withdrawalNonce: word(5)
  }
  const request = { ...bare, issuance: issuanceOf(family, bare, id) }
  return {
    family,
    request,
    claim: {
      chainId: slug(family),
      withdrawal: encoded,
      transactionId: transaction(family, 1),
      withdrawalAddressRequest: request
    },
    terms: { hubs: [hub], expiryMarginSeconds: 60, decimals: () => 8 },
    evidence: {
      chain: slug(family),
      withdrawal: encoded,
      withdrawalId: id,
      state: { _tag: "Executed", transactionIds: [transaction(family, 1)] }
    }
  }
}

/** The expected result: a status and its effect on the hub, or a refusal. */
export type WithdrawalVerdict =
  | `${"pending" | "executed" | "expired"}, ${"nothing" | "burn" | "transfer"}`
  | RefusalReason

export interface WithdrawalCase {
  readonly name: string
  readonly spoil: (world: WithdrawalWorld) => WithdrawalWorld
  readonly verdict: (family: VmFamily) => WithdrawalVerdict
  readonly appliesTo?: (family: VmFamily) => boolean
}

const state = (made: WithdrawalEvidence["state"]) => (world: WithdrawalWorld): WithdrawalWorld => ({
  ...world,
  claim: { ...world.claim, transactionId: undefined },
  evidence: { ...world.evidence, state: made }
})

const unused = (finalTime: number, headTime: number) =>
  state({ _tag: "Unused", finalTime, headTime, expiresAt: EXPIRATION })

const asking =
  (change: (request: WithdrawalRequest, world: WithdrawalWorld) => Partial<WithdrawalRequest>) =>
  (world: WithdrawalWorld): WithdrawalWorld => {
    const request = { ...world.request, ...change(world.request, world) }
    return { ...world, request, claim: { ...world.claim, withdrawalAddressRequest: request } }
  }

const expiresByAge = (family: VmFamily): boolean => family !== "bitcoin-vm" && family !== "exchangea-vm"
const always = (verdict: WithdrawalVerdict) => (): WithdrawalVerdict => verdict

export const withdrawalCases: ReadonlyArray<WithdrawalCase> = [
  { name: "executed and issued", spoil: (world) => world, verdict: always("executed, burn") },
  {
    name: "not executed, before its expiration",
    spoil: unused(EXPIRATION - 100, EXPIRATION - 90),
    verdict: always("pending, nothing")
  },
  {
    name: "the final block stands at the expiration",
    spoil: unused(EXPIRATION, EXPIRATION + 1_000),
    verdict: always("pending, nothing")
  },
  {
    name: "the head is past the expiration by the margin only",
    spoil: unused(EXPIRATION + 1, EXPIRATION + 60),
    verdict: always("pending, nothing")
  },
  {
    name: "unused past the expiration and the margin",
    spoil: unused(EXPIRATION + 1, EXPIRATION + 61),
    verdict: (family) => expiresByAge(family) ? "expired, transfer" : "pending, nothing"
  },
  { name: "spent otherwise", spoil: state({ _tag: "SpentOtherwise" }), verdict: always("expired, transfer") },
  {
    name: "executed without an issuance",
    spoil: asking(() => ({ issuance: undefined })),
    verdict: always("executed, nothing")
  },
  {
    name: "executed without a request",
    spoil: (world) => ({ ...world, claim: { ...world.claim, withdrawalAddressRequest: undefined } }),
    verdict: always("executed, nothing")
  },
  {
    name: "issued by somebody else",
    spoil: asking(({ issuance }) => ({ issuance: hexFromBytes(hexToBytes(issuance ?? Hex.make("0x")).fill(1, 32)) })),
    verdict: always("invalid-issuance")
  },
  {
    name: "issued for another withdrawal",
    spoil: asking((request, { family }) => ({ issuance: issuanceOf(family, request, word(77)) })),
    verdict: always("invalid-issuance")
  },
  {
    name: "issued for another account of the hub",
    spoil: asking(() => ({ withdrawalNonce: word(6) })),
    verdict: always("invalid-issuance")
  },
  {
    name: "issued to another owner",
    spoil: asking(() => ({ withdrawer: account("ethereum-vm", 12) })),
    verdict: always("invalid-issuance")
  },
  {
    name: "another chain requested",
    spoil: asking((_, { family }) => ({ chainId: slug(family, true) })),
    verdict: always("request-mismatch")
  },
  {
    name: "another currency requested",
    spoil: asking((_, { family }) => ({ currency: currency(family, 2) })),
    verdict: always("request-mismatch"),
    appliesTo: hasTokens
  },
  {
    name: "another recipient requested",
    spoil: asking((_, { family }) => ({ recipient: account(family, 34) })),
    verdict: always("request-mismatch")
  },
  {
    name: "an owner on a chain that nobody knows",
    spoil: asking(() => ({ withdrawerChainId: unknownSlug })),
    verdict: always("unknown-chain")
  },
  { name: "an owner that is none", spoil: asking(() => ({ withdrawer: "nobody" })), verdict: always("malformed") },
  {
    name: "another transaction claimed to have executed it",
    spoil: (world) => ({ ...world, claim: { ...world.claim, transactionId: transaction(world.family, 2) } }),
    verdict: always("wrong-transaction")
  },
  {
    name: "evidence of another withdrawal",
    spoil: (world) => ({ ...world, evidence: { ...world.evidence, withdrawalId: word(78) } }),
    verdict: always("wrong-withdrawal")
  },
  {
    name: "evidence of another chain",
    spoil: (world) => ({ ...world, evidence: { ...world.evidence, chain: slug(world.family, true) } }),
    verdict: always("wrong-chain")
  },
  {
    name: "bytes that are no withdrawal",
    spoil: (world) => ({ ...world, claim: { ...world.claim, withdrawal: Hex.make("0xdeadbeef") } }),
    verdict: always("invalid-withdrawal")
  },
  {
    name: "out of a vault that is not the depository's",
    spoil: fromAnotherVault,
    verdict: always("invalid-withdrawal"),
    appliesTo: (family) => family === "solana-vm"
  }
]

/** The verdict of a judge, in the form of the cases. */
export const withdrawalVerdict = (judge: typeof judgeWithdrawal, world: WithdrawalWorld): WithdrawalVerdict => {
  const judged = judge(standInContext, world.claim, world.terms, world.evidence)
  if (Result.isFailure(judged)) return judged.failure.reason
  const { execution, message } = judged.success
  const status = (["pending", "executed", "expired"] as const)[message.status]
  const [action] = execution?.actions ?? []
  if (action === undefined) return `${status}, nothing`
  return Result.getOrThrow(decodeAction(action))._tag === "Burn" ? `${status}, burn` : `${status}, transfer`
}

const anyTime = fc.integer({ min: EXPIRATION - 200, max: EXPIRATION + 200 })

/** The laws of the judge of withdrawals (ORACLE-6). */
export const withdrawalLaws = (judge: typeof judgeWithdrawal): ReadonlyArray<Law> => [
  law(
    "every withdrawal is attested for what it is and no more",
    fc.property(fc.constantFrom(...vmFamilies), fc.constantFrom(...withdrawalCases), (family, each) => {
      if (each.appliesTo?.(family) === false) return
      const verdict = withdrawalVerdict(judge, each.spoil(makeWithdrawalWorld(family)))
      must(verdict === each.verdict(family), `${family}, ${each.name}: ${verdict} instead of ${each.verdict(family)}`)
    })
  ),
  law(
    "an unused withdrawal expires exactly when a final block and the head less the margin are past it, and stays expired",
    fc.property(
      fc.constantFrom(...vmFamilies),
      anyTime,
      anyTime,
      fc.integer({ min: 0, max: 120 }),
      fc.nat(50),
      (family, final, head, margin, later) => {
        const made = makeWithdrawalWorld(family)
        const at = (finalTime: number, headTime: number) =>
          withdrawalVerdict(
            judge,
            unused(finalTime, headTime)({ ...made, terms: { ...made.terms, expiryMarginSeconds: margin } })
          )
        const past = expiresByAge(family) && final > EXPIRATION && head - margin > EXPIRATION
        must(at(final, head) === (past ? "expired, transfer" : "pending, nothing"), `${family}: ${at(final, head)}`)
        if (past) must(at(final + later, head + later) === "expired, transfer", "an expired withdrawal came back")
      }
    )
  ),
  law(
    "the judge is total: whatever one leaf of evidence or claim becomes, it answers",
    fc.property(
      fc.constantFrom(...vmFamilies),
      fc.constantFrom(...withdrawalCases),
      fc.boolean(),
      fc.nat(),
      fc.nat(59),
      (family, each, ofClaim, leaf, how) => {
        const made = each.spoil(makeWithdrawalWorld(family))
        withdrawalVerdict(
          judge,
          ofClaim
            ? { ...made, claim: withAnotherLeaf(made.claim, leaf, how) }
            : { ...made, evidence: withAnotherLeaf(made.evidence, leaf, how) }
        )
      }
    )
  )
]
