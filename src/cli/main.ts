process.stdout.write("gantry\n");
