// Shows a report to its end, also if its reader closes the pipe: `lorekeep test | head`. An unread report stream never ends.
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
