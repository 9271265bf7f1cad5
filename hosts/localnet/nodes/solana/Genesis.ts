/**
 * The initial state of a local Solana chain: the depository program, initialised, its vault, the swap depositor, two
 * tokens, pools, and funded accounts. Made by transactions where possible. Mints and program are placed at addresses without a private
 * key.
 */
import type { Address, Instruction } from "@solana/kit"
import { address, createNoopSigner } from "@solana/kit"
import { getCreateAssociatedTokenIdempotentInstruction, getMintToInstruction } from "@solana-program/token"
import { wallet } from "./node/Account.ts"
import type { Chain } from "./node/Chain.ts"
import { localTransaction } from "./node/Faucet.ts"
import type { LocalKey } from "./node/LocalKey.ts"
import { keyOfName } from "./node/LocalKey.ts"
import * as Depository from "./DepositoryProgram.ts"
import * as SwapDepositor from "./SwapDepositorProgram.ts"
import type { Mint } from "./Mints.ts"
import { initializeMint, mints, mintSpace } from "./Mints.ts"
import { installPools } from "./pools/PoolGenesis.ts"

export interface Parties {
  readonly accounts: ReadonlyArray<Address>
  readonly solver: Address
  /** Signs withdrawals from the vault. */
  readonly allocator: Address
}

const SOL = 1_000_000_000n

/** For every account: lamports, and units of each token. */
export const funding = {
  lamports: 10_000n * SOL,
  tokens: 1_000_000_000_000n,
  solver: { lamports: 100_000n * SOL, tokens: 100_000_000_000_000n }
} as const

/** Mints the tokens. It is the network's own key, but the source reveals it. */
const bank = keyOfName("causeway.localnet.solana.bank")

const programLoader = address("BPFLoader2111111111111111111111111111111111")

/** Runs one of the network's own transactions. A failure is a defect of the network. */
const run = (chain: Chain, keys: ReadonlyArray<LocalKey>, instructions: ReadonlyArray<Instruction>): void => {
  const outcome = chain.submit(localTransaction(chain, keys, instructions))
  const error = outcome._tag === "Dropped" ? outcome.error : outcome.record.meta.err
  if (error !== null) {
    const logs = outcome._tag === "Dropped" ? outcome.executed?.meta.logMessages : outcome.record.meta.logMessages
    throw new Error(`the genesis of the Solana chain failed: ${JSON.stringify(error)} ${JSON.stringify(logs)}`)
  }
  if (!chain.options.automine) chain.advance()
}

const rentOf = (chain: Chain, bytes: number) => chain.bank.svm.minimumBalanceForRentExemption(BigInt(bytes))

const installProgram = (chain: Chain, key: Address, data: Uint8Array): void => {
  chain.setAccount(key, {
    lamports: rentOf(chain, data.length),
    data,
    owner: programLoader,
    executable: true
  })
}

const makeMint = (chain: Chain, mint: Mint): void => {
  const space = mintSpace(mint)
  chain.setAccount(mint.address, {
    lamports: rentOf(chain, space),
    data: new Uint8Array(space),
    owner: mint.program,
    executable: false
  })
  run(chain, [bank], initializeMint(mint, bank.address))
}

const payTokens = async (chain: Chain, mint: Mint, owner: Address, amount: bigint): Promise<void> => {
  const payer = createNoopSigner(bank.address)
  const ata = await Depository.tokenAccount(owner, mint.address, mint.program)
  run(chain, [bank], [
    getCreateAssociatedTokenIdempotentInstruction({
      payer,
      ata,
      owner,
      mint: mint.address,
      tokenProgram: mint.program
    }),
    getMintToInstruction({ mint: mint.address, token: ata, mintAuthority: payer, amount }, {
      programAddress: mint.program
    })
  ])
}

/** The allocator also owns the depository, as on the EVM chains. */
export const genesis = ({ accounts, allocator, solver }: Parties) => async (chain: Chain): Promise<void> => {
  chain.setAccount(bank.address, wallet(1_000_000n * SOL))
  for (const account of [...accounts, allocator]) chain.setAccount(account, wallet(funding.lamports))
  chain.setAccount(solver, wallet(funding.solver.lamports))
  installProgram(chain, Depository.program, Depository.programBytes())
  installProgram(chain, SwapDepositor.program, SwapDepositor.programBytes())
  installPools(chain)
  chain.advance()
  run(chain, [bank, Depository.programKey], [Depository.initialize(createNoopSigner(bank.address), allocator)])
  run(chain, [bank], [Depository.setOwner(createNoopSigner(bank.address), allocator)])
  for (const mint of mints) {
    makeMint(chain, mint)
    await payTokens(chain, mint, solver, funding.solver.tokens)
    for (const account of accounts) await payTokens(chain, mint, account, funding.tokens)
  }
}
