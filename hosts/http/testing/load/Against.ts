/**
 * The folder of another commit's program, which `npm run bench -- --against COMMIT` measures beside this one. Undefined
 * without it.
 */
export const against: string | undefined = process.env["BENCH_AGAINST"]
