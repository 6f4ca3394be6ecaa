// Shows a report until its end, also where its reader closes the pipe: `lorekeep test | head`. A report that nobody reads never ends.
export async function showReport(report: NodeJS.ReadableStream, output: NodeJS.WritableStream): Promise<void> {
  await new Promise<void>((done, fail) => {
    report.once('end', done);
    output.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') report.unpipe().resume();
      else fail(error);
    });
    report.pipe(output, { end: false });
  });
}
