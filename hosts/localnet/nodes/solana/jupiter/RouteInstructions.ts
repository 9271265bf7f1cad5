/** The instructions of a route through the local pools, in the form of the answers of `POST /swap-instructions`. */
import type { Address, Instruction } from "@solana/kit"
import { AccountRole, createNoopSigner, isSignerRole, isWritableRole } from "@solana/kit"
import { getSetComputeUnitLimitInstruction, getSetComputeUnitPriceInstruction } from "@solana-program/compute-budget"
import { getTransferSolInstruction } from "@solana-program/system"
import {
  getCloseAccountInstruction,
  getCreateAssociatedTokenIdempotentInstruction,
  getSyncNativeInstruction
} from "@solana-program/token"
import { createHash } from "node:crypto"
import { tokenProgram } from "../node/TokenAccount.ts"
import { tokenAccount } from "../DepositoryProgram.ts"
import type { Mint } from "../Mints.ts"
import { authority, lookupTable, program, sharedAccount, wrappedSol } from "../pools/Pools.ts"
import type { Hop } from "./Routes.ts"
import { sidesOf } from "./Routes.ts"

export interface RouteTerms {
  readonly user: Address
  readonly hops: ReadonlyArray<Hop>
  readonly exact: "in" | "out"
  readonly slippageBps: number
  /** The maximum input. */
  readonly most: bigint
  readonly shared: boolean
  readonly wraps: boolean
  readonly destination: Address | undefined
}

const readonly = (key: Address) => ({ address: key, role: AccountRole.READONLY })
const writable = (key: Address) => ({ address: key, role: AccountRole.WRITABLE })

const names = {
  in: { true: "shared_accounts_route", false: "route" },
  out: { true: "shared_accounts_exact_out_route", false: "exact_out_route" }
} as const

/**
 * Like Jupiter's: name, plan (here only its length), then 19 bytes for the given amount, the quoted amount, slippage
 * and fee.
 */
const dataOf = ({ exact, hops, shared, slippageBps }: RouteTerms): Uint8Array => {
  const [first, last] = [hops[0]?.amountIn ?? 0n, hops.at(-1)?.amountOut ?? 0n]
  const tail = Buffer.alloc(23)
  tail.writeUInt32LE(hops.length, 0)
  tail.writeBigUInt64LE(exact === "in" ? first : last, 4)
  tail.writeBigUInt64LE(exact === "in" ? last : first, 12)
  tail.writeUInt16LE(slippageBps, 20)
  const name = createHash("sha256").update(`global:${names[exact][`${shared}`]}`).digest().subarray(0, 8)
  return new Uint8Array(Buffer.concat([name, ...(shared ? [Uint8Array.of(0)] : []), tail]))
}

const ata = (owner: Address, mint: Mint) => tokenAccount(owner, mint.address, mint.program)

const opening = async (user: Address, mint: Mint): Promise<Instruction> =>
  getCreateAssociatedTokenIdempotentInstruction({
    payer: createNoopSigner(user),
    ata: await ata(user, mint),
    owner: user,
    mint: mint.address,
    tokenProgram: mint.program
  })

const wire = ({ accounts = [], data, programAddress }: Instruction) => ({
  programId: programAddress,
  accounts: accounts.map((account) => ({
    pubkey: account.address,
    isSigner: isSignerRole(account.role),
    isWritable: isWritableRole(account.role)
  })),
  data: Buffer.from(data ?? []).toString("base64")
})

/** Throws for a route without hops. */
export const routeInstructions = async (terms: RouteTerms) => {
  const { destination, hops, most, shared, user, wraps } = terms
  const [first, last] = [hops[0], hops.at(-1)]
  if (first === undefined || last === undefined) throw new Error("a route without hops")
  const [from, to] = [sidesOf(first).from.mint, sidesOf(last).to.mint]
  const signer = createNoopSigner(user)
  const source = await ata(user, from)
  const ends = destination ?? (await ata(user, to))
  const wrapsIn = wraps && from === wrappedSol
  const unwraps = wraps && to === wrappedSol && destination === undefined
  const between = hops.slice(0, -1).map((hop) => sidesOf(hop).to.mint)
  const passing = await Promise.all(between.map(async (mint) => shared ? sharedAccount(mint) : await ata(user, mint)))
  const setup = [
    ...(wrapsIn
      ? [
        await opening(user, from),
        getTransferSolInstruction({ source: signer, destination: source, amount: most }),
        getSyncNativeInstruction({ account: source })
      ]
      : []),
    ...(shared ? [] : await Promise.all(between.map((mint) => opening(user, mint)))),
    ...(destination === undefined ? [await opening(user, to)] : [])
  ]
  const route: Instruction = {
    programAddress: program,
    accounts: [
      readonly(tokenProgram),
      { address: user, role: AccountRole.READONLY_SIGNER },
      readonly(authority),
      writable(source),
      ...hops.flatMap((hop, index) => {
        const { from: into, to: out } = sidesOf(hop)
        return [readonly(hop.pool.address), writable(into.vault), writable(out.vault), writable(passing[index] ?? ends)]
      })
    ],
    data: dataOf(terms)
  }
  const wrapped = wrapsIn ? source : unwraps ? ends : undefined
  return {
    tokenLedgerInstruction: null,
    // The usual price of a wallet for priority: 1,000,000 units at 10,000 micro-lamports.
    computeBudgetInstructions: [
      getSetComputeUnitLimitInstruction({ units: 1_000_000 }),
      getSetComputeUnitPriceInstruction({ microLamports: 10_000n })
    ].map(wire),
    setupInstructions: setup.map(wire),
    swapInstruction: wire(route),
    cleanupInstruction: wrapped === undefined
      ? null
      : wire(getCloseAccountInstruction({ account: wrapped, destination: user, owner: signer })),
    otherInstructions: [],
    addressLookupTableAddresses: [lookupTable],
    prioritizationFeeLamports: 10_000,
    computeUnitLimit: 1_000_000,
    simulationError: null
  }
}
