/** A PDF file with these objects, from 1; the first one is the catalog. */
export function createPdf(objects: readonly string[], trailer = ''): Buffer {
  const body = objects.map((object, i) => `${i + 1} 0 obj\n${object}\nendobj\n`).join('');
  return Buffer.from(`%PDF-1.4\n${body}trailer\n<< /Root 1 0 R /Size 99 ${trailer} >>\n%%EOF`, 'latin1');
}

/** A PDF file with a text on each page. */
export function createPdfPages(texts: readonly string[]): Buffer {
  const pages = texts.flatMap((text, i) => {
    const stream = `BT /F 12 Tf 20 100 Td (${text}) Tj ET`;
    return [
      `<< /Type /Page /Parent 2 0 R /Contents ${4 + i * 2} 0 R /Resources << /Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>`,
      `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
    ];
  });
  const kids = texts.map((_text, i) => `${3 + i * 2} 0 R`).join(' ');
  return createPdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${texts.length} >>`,
    ...pages,
  ]);
}
