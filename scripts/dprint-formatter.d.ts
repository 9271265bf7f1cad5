/** As much of @dprint/formatter as `npm run format` uses: the types of the tree do not hang on what only formats it. */
declare module "@dprint/formatter" {
  interface Formatter {
    setConfig(everywhere: Readonly<Record<string, unknown>>, plugin: Readonly<Record<string, unknown>>): void
    getConfigDiagnostics(): ReadonlyArray<{ readonly propertyName: string; readonly message: string }>
    formatText(file: { readonly filePath: string; readonly fileText: string }): string
  }
  export function createFromBuffer(plugin: Uint8Array): Formatter
}
