/**
 * Transactions of Solana origins as a service would ask for them, encoded by kit and its program clients: encoders
 * independent of the one under test.
 */
import {
  AccountRole,
  address,
  createNoopSigner,
  getProgramDerivedAddress,
  isSignerRole,
  isWritableRole
} from "@solana/kit"
import type { Address, Instruction } from "@solana/kit"
import { getSetComputeUnitLimitInstruction } from "@solana-program/compute-budget"
import { getAddMemoInstruction } from "@solana-program/memo"
import { getTransferSolInstruction } from "@solana-program/system"
import {
  ASSOCIATED_TOKEN_PROGRAM_ADDRESS,
  findAssociatedTokenPda,
  getCloseAccountInstruction,
  getCreateAssociatedTokenIdempotentInstruction,
  getSyncNativeInstruction,
  getTransferCheckedInstruction,
  TOKEN_PROGRAM_ADDRESS
} from "@solana-program/token"
import { createHash } from "node:crypto"
import type { ResolvedRequest } from "../request/ResolveRequest.ts"
import type { SolanaTransactionData } from "../../families/solana/SolanaTransactionData.ts"
import { solana, solanaPayer, solanaUsdc, solanaUser } from "./Chains.ts"

const SYSTEM = address("11111111111111111111111111111111")
const program = address(solana.depository)
const mint = address(solanaUsdc.address)

const derived = async (seed: string): Promise<Address> =>
  (await getProgramDerivedAddress({ programAddress: program, seeds: [seed] }))[0]
const tokensOf = async (owner: Address): Promise<Address> =>
  (await findAssociatedTokenPda({ owner, mint, tokenProgram: TOKEN_PROGRAM_ADDRESS }))[0]

const depository = await derived("relay_depository")
const vault = await derived("vault")
const vaultTokens = await tokensOf(vault)
/** Token account of the tests' only Solana user. */
const userTokens = await tokensOf(address(solanaUser))

const readonly = (key: Address) => ({ address: key, role: AccountRole.READONLY })
const writable = (key: Address) => ({ address: key, role: AccountRole.WRITABLE })

const wire = ({ accounts = [], data, programAddress }: Instruction): SolanaTransactionData["instructions"][number] => ({
  keys: accounts.map(({ address: pubkey, role }) => ({
    pubkey,
    isSigner: isSignerRole(role),
    isWritable: isWritableRole(role)
  })),
  programId: programAddress,
  data: Buffer.from(data ?? []).toString("hex")
})

const depositData = (name: string, amount: bigint, id: `0x${string}`) =>
  new Uint8Array(Buffer.concat([
    createHash("sha256").update(`global:${name}`).digest().subarray(0, 8),
    new Uint8Array(BigUint64Array.of(amount).buffer),
    Buffer.from(id.slice(2), "hex")
  ]))

/** `opens`: a separate fee payer opens the vault's account first. */
export const solanaTransaction = (
  { computeUnitLimit, depositFeePayer, originCurrency, user: text }: ResolvedRequest,
  id: `0x${string}`,
  amount: bigint,
  opens: boolean
): SolanaTransactionData => {
  const user = address(text)
  const first = [readonly(depository), { address: user, role: AccountRole.WRITABLE_SIGNER }, readonly(user)]
  const deposit: Instruction = originCurrency.isNative
    ? {
      programAddress: program,
      accounts: [...first, writable(vault), readonly(SYSTEM)],
      data: depositData("deposit_native", amount, id)
    }
    : {
      programAddress: program,
      accounts: [
        ...first,
        readonly(vault),
        readonly(mint),
        writable(userTokens),
        writable(vaultTokens),
        readonly(TOKEN_PROGRAM_ADDRESS),
        readonly(ASSOCIATED_TOKEN_PROGRAM_ADDRESS),
        readonly(SYSTEM)
      ],
      data: depositData("deposit_token", amount, id)
    }
  const payer = depositFeePayer === undefined || !opens || originCurrency.isNative
    ? []
    : [createNoopSigner(address(depositFeePayer))]
  const instructions: ReadonlyArray<Instruction> = [
    ...(computeUnitLimit ? [getSetComputeUnitLimitInstruction({ units: 200_000 })] : []),
    ...payer.map((signer) =>
      getCreateAssociatedTokenIdempotentInstruction({
        payer: signer,
        ata: vaultTokens,
        owner: vault,
        mint,
        tokenProgram: TOKEN_PROGRAM_ADDRESS
      })
    ),
    deposit
  ]
  return { instructions: instructions.map(wire), addressLookupTableAddresses: [], feePayer: depositFeePayer ?? user }
}

const tokensIn = async (owner: string, of: string): Promise<Address> =>
  (await findAssociatedTokenPda({ owner: address(owner), mint: address(of), tokenProgram: TOKEN_PROGRAM_ADDRESS }))[0]

/** The token that the tests' swaps go through, and their swap program. */
export const wrappedSol = address("So11111111111111111111111111111111111111112")
export const swapProgram = address("JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4")
const pool = address("Pubke11111111111111111111111111111111111111")

/** Associated accounts of the user and of the tests' other payees, by owner and token. */
const associated = new Map<string, Address>(
  await Promise.all(
    [solanaUser, solanaPayer].flatMap((owner) =>
      [mint, wrappedSol].map(async (of) => [`${owner} ${of}`, await tokensIn(owner, of)] as const)
    )
  )
)
const accountOf = (owner: string, of: string): Address => associated.get(`${owner} ${of}`) ?? pool

const reference = await derived("user_transfers")
const user = createNoopSigner(address(solanaUser))
const withReference = (instruction: Instruction): Instruction => ({
  ...instruction,
  accounts: [...(instruction.accounts ?? []), readonly(reference)]
})
const nothing = withReference(getTransferSolInstruction({ source: user, destination: user.address, amount: 0n }))
const limited = ({ computeUnitLimit }: ResolvedRequest): ReadonlyArray<Instruction> =>
  computeUnitLimit ? [getSetComputeUnitLimitInstruction({ units: 123_456 })] : []
const opened = (payer: string, owner: string, of: Address) =>
  getCreateAssociatedTokenIdempotentInstruction({
    payer: createNoopSigner(address(payer)),
    ata: accountOf(owner, of),
    owner: address(owner),
    mint: of,
    tokenProgram: TOKEN_PROGRAM_ADDRESS
  })

const moved = (to: string, amount: bigint): Instruction =>
  getTransferCheckedInstruction({
    source: userTokens,
    mint,
    destination: accountOf(to, mint),
    authority: user,
    amount,
    decimals: 6
  })

const own = (
  request: ResolvedRequest,
  instructions: ReadonlyArray<Instruction>,
  tables: ReadonlyArray<string> = []
): SolanaTransactionData => ({
  instructions: [...limited(request), ...instructions].map(wire),
  addressLookupTableAddresses: tables,
  feePayer: request.depositFeePayer ?? solanaUser
})

/** `opens`: the recipient has no account. */
export const solanaSend = (
  request: ResolvedRequest,
  id: `0x${string}`,
  amount: bigint,
  opens: boolean
): SolanaTransactionData =>
  own(request, [
    getAddMemoInstruction({ memo: id }),
    ...(request.originCurrency.isNative
      ? [withReference(getTransferSolInstruction({ source: user, destination: address(request.recipient), amount }))]
      : [...(opens ? [opened(solanaUser, request.recipient, mint)] : []), moved(request.recipient, amount), nothing])
  ])

/** A transfer to a deposit address, one of the tests' known addresses. */
export const solanaTransfer = (request: ResolvedRequest, to: string, amount: bigint): SolanaTransactionData =>
  own(
    request,
    request.originCurrency.isNative
      ? [getTransferSolInstruction({ source: user, destination: address(to), amount })]
      : [opened(request.depositFeePayer ?? solanaUser, to, mint), moved(to, amount)]
  )

const tail = (given: bigint, quoted: bigint, slippage: bigint): Uint8Array => {
  const bytes = new Uint8Array(19)
  const view = new DataView(bytes.buffer)
  view.setBigUint64(0, given, true)
  view.setBigUint64(8, quoted, true)
  view.setUint16(16, Number(slippage), true)
  return bytes
}

/** A route between SOL and the tests' token, as a server of the Jupiter swap interface gives it. */
export const solanaSwap = (
  request: ResolvedRequest,
  id: `0x${string}`,
  amountIn: bigint,
  amountOut: bigint,
  slippage: bigint
): SolanaTransactionData => {
  const { originCurrency, recipient, tradeType } = request
  const wraps = originCurrency.isNative
  const wrapped = accountOf(solanaUser, wrappedSol)
  const [source, destination] = wraps ? [wrapped, accountOf(recipient, mint)] : [userTokens, wrapped]
  const name = tradeType === "EXACT_INPUT" ? "route" : "exact_out_route"
  const limits = tradeType === "EXACT_INPUT" ? tail(amountIn, amountOut, slippage) : tail(amountOut, amountIn, 0n)
  const swap: Instruction = {
    programAddress: swapProgram,
    accounts: [
      readonly(TOKEN_PROGRAM_ADDRESS),
      { address: user.address, role: AccountRole.READONLY_SIGNER },
      writable(source),
      writable(destination),
      readonly(mint),
      writable(pool)
    ],
    data: new Uint8Array(
      Buffer.concat([
        createHash("sha256").update(`global:${name}`).digest().subarray(0, 8),
        Buffer.from("0100000007640001", "hex"),
        limits
      ])
    )
  }
  return own(request, [
    getAddMemoInstruction({ memo: id }),
    nothing,
    ...(recipient === solanaUser ? [] : [opened(solanaUser, recipient, mint)]),
    opened(solanaUser, solanaUser, wrappedSol),
    ...(wraps
      ? [
        getTransferSolInstruction({ source: user, destination: wrapped, amount: amountIn }),
        getSyncNativeInstruction({ account: wrapped })
      ]
      : []),
    swap,
    getCloseAccountInstruction({ account: wrapped, destination: user.address, owner: user })
  ], [pool])
}
