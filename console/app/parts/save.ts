// Gives the reader a file to keep.

export function saveAs(name: string, content: Blob): void {
  const url = URL.createObjectURL(content)
  const link = document.createElement("a")
  link.href = url
  link.download = name
  link.click()
  // The download has begun with the click.
  setTimeout(() => URL.revokeObjectURL(url), 0)
}
